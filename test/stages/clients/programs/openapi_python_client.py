import importlib
import json
import pkgutil
import sys
from io import BytesIO

import generated
from generated import Client
from generated.api.app_packages import list_packages, upload_package
from generated.api.applications import get_application
from generated.api.session import login
from generated.models import LoginInput
from generated.types import File

# A module that does not import is noticed, whoever uses it.
for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)

base_url, password, archive = sys.argv[1:]
# The client of httpx keeps the cookie of the session.
client = Client(base_url=base_url)
user = login.sync(client=client, body=LoginInput(user_name="admin", password=password))
with open(archive, "rb") as content:
    uploaded = upload_package.sync(client=client, body=File(payload=BytesIO(content.read())))
packages = list_packages.sync(client=client)
refused = get_application.sync(client=client, appid="none")
print(
    json.dumps(
        {
            "user": user.user_name,
            "uploaded": uploaded.app_package_name,
            "listed": [one.app_package_name for one in packages.app_packages],
            "refused": refused.code,
        }
    )
)
