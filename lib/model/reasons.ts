// Every code that an error of the gateway may have, by status, with the sentence that the reference says of it. What a
// client would treat alike shares a code; `docs/decisions.md`, A code for each reason.

/** Why a request is refused that would be refused again: the `code` of `BadRequest`. */
const badRequestReasons = {
  // The request itself.
  MALFORMED_JSON: 'The body is not JSON in UTF-8, or has a key that is taken nowhere (`__proto__`).',
  JSON_LIMIT: 'The body is nested deeper, or holds more values, than is taken; send less at once.',
  MALFORMED_QUERY:
    'The query is too long, names a parameter twice, or gives one a value that it can not have.',
  MALFORMED_PATH:
    'A part of the path is not well-formed percent-encoding, too long, or could lead elsewhere.',
  MALFORMED_IF_MATCH: 'The header `If-Match` is neither `*` nor a list of entity tags in double quotes.',
  TOKEN_IN_URL: 'A token stands in the URL: revoke it, and send another as `Authorization: Bearer`.',

  // What it says.
  NAME_NOT_VALID:
    'Nothing can be kept under this name: it is empty, too long, or holds what names may not hold.',
  NAME_MISMATCH: 'The path and the body give different names to one thing.',
  UNKNOWN_VALUE: 'A value is none of those that there are, which the message lists or says where to find.',
  PASSWORD_REFUSED:
    'The new password is not taken; the message says why. Passwords that there are go on working.',
  NOTHING_TO_CHANGE: 'The body names nothing that could be changed.',
  ADDRESS_NOT_VALID:
    'A URL, a host with a port or a path of a file is not of the form that the message tells.',
  PATTERN_NOT_VALID:
    'A regular expression can not be read, or could take too long; `details` says where it is.',
  CONDITION_NOT_VALID: 'The condition of an alert can not be used; `details` has the line and the column.',
  EXECUTABLE_NOT_USABLE: "The path that is to be the cluster's executable is none that can be run.",
  TOO_MUCH_ASKED:
    'The answer would take more work than one may: ask for a shorter range, or for less at once.',
  DUPLICATE_WRITE: 'One batch of a storage writes a document twice.',

  // How users log in.
  AUTH_SETTING_NOT_VALID:
    'A setting of the login is wrong, or one is missing that it needs; the message names it.',
  AUTH_FILE_NOT_USABLE:
    'A file that a setting of the login names can not be read, or is not what it should be.',
  KERBEROS_NOT_STARTED: 'The helper process for Kerberos does not start on the machine of the gateway.',

  // Archives and packages.
  FORM_NOT_VALID: 'The form is cut off, or holds no file, or several.',
  NOT_AN_ARCHIVE: 'What was sent is no zip archive, or is empty.',
  ARCHIVE_TRUNCATED: 'The archive ends too early; send it again.',
  ARCHIVE_DAMAGED: 'The archive contradicts itself or its checksums; make it anew.',
  ARCHIVE_NOT_SUPPORTED: 'The archive is encrypted, in volumes, or made in a way that is not taken.',
  ARCHIVE_ENTRY_REFUSED:
    'An entry is no plain file or directory, or its name does not mean the same to all readers.',
  ARCHIVE_LIMIT: 'The archive holds more, or inflates to more, than is taken (docs/operations.md, Limits).',
  NOT_A_PACKAGE:
    'The archive lacks what makes it a package; `details.missing` has the attributes, if it is those.',
  MANIFEST_NOT_VALID: 'A line of META-INF/MANIFEST.MF is malformed, or its value can not name a package.',
  PACKAGE_FILE_NOT_VALID: 'A file in the package that the gateway reads is not as it has to be.',
  PACKAGE_LIMIT: 'The package holds more of something than is taken (docs/operations.md, Limits).',
  XML_NOT_VALID:
    "A file of properties is not well-formed, has other parts than Hadoop's, or is over a limit.",
  MERGE_INTO_ITSELF: 'A package is to be merged into itself: name another version.',

  // Applications, and what is asked of them.
  DEFINITION_NOT_VALID: 'The definition of the application can not be made into a plan.',
  PARTITIONS_NOT_POSSIBLE: 'The plan would need partitions that can not be had, or can not change now.',
  APPLICATION_NOT_LAUNCHABLE:
    'The application has a fault, which the message tells: mend it in the package first.',
  APPLICATION_TYPE_NOT_SUPPORTED: 'The cluster can not run applications of this type, or not by this way.',
  APPLICATION_NOT_EDITABLE: 'Only JSON applications can be changed in a package; upload another one instead.',
  REQUIRED_PROPERTY_MISSING:
    'Properties without which the application is not launched are not set; `details` lists them.',
  LAUNCH_PROPERTY_REFUSED: 'A launch property can not be set, or all would be set in too many places.',
  UNKNOWN_QUEUE: 'There is no such queue to launch into.',
  MODULE_FAILED: 'A module of operators in the package fails while it checks their properties.',
  OPERATOR_NOT_STARTED: 'An operator fails when it starts in the changed plan; the plan stays as it was.',
  LOGGER_LIMIT: 'The application would have too many levels of loggers: set one for a whole package.',
  ENGINE_REFUSED: 'The engine refuses what it was asked for; the message has its words.',

  // Services.
  SERVICE_CIRCLE: 'Services need each other in a circle.',
  SERVICE_MISSING: 'An application needs a service that is neither installed nor defined in its package.',
  SERVICE_TYPE_FIXED: 'The type of a service can not change: delete it, and install it anew.',
  VALUE_MISSING: 'A variable in the definition of a service has no value, at least not yet.',

  BAD_REQUEST: 'A driver that is not in the box refuses this, for a reason that has no code here.',
} as const;

export type BadRequestReason = keyof typeof badRequestReasons;

/** Why something can't be done in the state that things are in: the `code` of `Conflict`. */
const conflictReasons = {
  // Applications, and what belongs to them.
  APPLICATION_ENDED: 'The application has ended, or is about to.',
  APPLICATION_RUNNING: 'The application has not ended: shut it down first.',
  APPLICATION_NAME_TAKEN: 'The user already runs an application of this name.',
  NO_SAVED_STATE: 'Nothing is saved that the application could go on from: launch it anew.',
  NO_CAPACITY:
    'The cluster has fewer containers or less memory left than this needs; try again when others have ended.',
  MASTER_NOT_READY: 'The application has no master now: it has not begun yet, or is just ending.',
  MASTER_CONTAINER: "The container is the application's master: kill the application instead.",
  CONTAINER_NOT_RUNNING: 'The container has ended, or does not run yet.',
  PARALLELISM_FIXED:
    'The engine can not change how many partitions an operator has while it runs; the message says what to set.',
  OPERATOR_NOT_DEPLOYED: 'The operator is in no container now; try again when it runs.',
  PLAN_CHANGE_INTERRUPTED:
    'A part of the application ended during the change; the plan is as it was, try again.',
  PROPERTY_NOT_READABLE:
    'Reading these values could end their container; ask for others, or not for live ones.',
  PACKAGE_CODE_NOT_ALLOWED:
    'The application has operators of its package, and the host does not let them run.',
  PACKAGE_CODE_MISSING:
    'The code of the package is not there any more; launch the application from the package.',
  SAVEPOINT_UNDER_WAY: 'The savepoint is being made: wait until it is there, or has failed.',
  PROFILING_DISABLED:
    'The engine is set up not to look into what it runs in this way; the message says what to set.',
  PROFILE_UNDER_WAY: 'A profile of the container is being made: wait until it has finished, or failed.',
  RECORDING_ACTIVE: 'There is a recording under way: `details.id`. Stop it first.',
  RECORDING_NOT_STARTED: 'The recording did not begin; the message tells what is known of that.',

  // What is kept.
  NAME_TAKEN: 'There is a user or a service of this name already, or a proxy that answers there.',
  LIMIT_REACHED: 'There are as many of these as may be: delete one first.',
  CHANGED_MEANWHILE: 'Somebody else changed the same at the same time: read it again, and try again.',
  LAST_ADMINISTRATOR: 'Nobody would be administrator any more: give the role to somebody else first.',
  OWN_ACCOUNT: 'Nobody can delete the account that they are logged in with.',
  CONFIG_PACKAGE_MISFIT: 'The configuration package is meant for other packages, or for another version.',
  MAIL_NOT_CONFIGURED: 'No mail is sent, because no mail server is configured.',
  NO_LICENSE_DEMANDED: 'The host demands no license, so none can be added.',

  // Services and containers.
  SERVICE_DIFFERS:
    'There is a service of this name with another definition: stop and change it, or delete it.',
  SERVICE_NOT_STOPPED: 'The service has to be stopped before it is changed.',
  SERVICE_BEING_REMOVED: 'The service is being removed.',
  CONTAINER_RUNNING: 'The runtime runs a container of this name already.',
  DRIVER_OPEN: 'A driver of a cluster is opened a second time: one gateway has it.',

  CONFLICT: 'A driver that is not in the box can not do this now, for a reason that has no code here.',
} as const;

export type ConflictReason = keyof typeof conflictReasons;

/** The codes of errors by status. */
export const errorCodes = {
  400: {
    INVALID_INPUT:
      'Values have another shape than the operation takes; `details` lists every one with its place.',
    ...badRequestReasons,
    ANSWER_TOO_LARGE: 'More is asked for than one answer carries; the message says how to ask for a part.',
    LICENSE_REFUSED: 'The license is not taken: `details.reason` says why, and the one that is there stays.',
  },
  401: {
    NOT_LOGGED_IN: 'Log in first, or send a token.',
    LOGIN_FAILED: 'The user name or the password is wrong.',
  },
  403: {
    FORBIDDEN: 'The caller, or who they speak for, may not do this.',
    FOREIGN_ORIGIN: 'A page of another site tried to change something.',
    LICENSE_LOCKED: 'The license is locked: nothing new is started, everything else goes on.',
    FEATURE_NOT_LICENSED: 'The license does not include `details.feature`.',
  },
  404: { NOT_FOUND: 'What is named is not there, or the caller must not know of it.' },
  405: { METHOD_NOT_ALLOWED: 'The address has other methods: the header `Allow`.' },
  409: {
    ...conflictReasons,
    BROKEN_SITE_FILE: 'A site file can not be read and was left as it is: mend it, and try again.',
    KEYSTORE_NOT_READ: 'The key that secrets are to be sealed with can not be had.',
  },
  412: {
    PRECONDITION_FAILED: 'What was read is not what is there any more: read it again.',
    WOULD_EMPTY: 'All that is in it would be lost; say that this is meant.',
    ALREADY_EXISTS: 'It is there already, and may not be for this.',
  },
  413: { TOO_LARGE: 'More was sent than is taken: `details.limitBytes`.' },
  415: {
    UNSUPPORTED_BODY: 'The body is of a type that is not taken here: `details.accepted`.',
    BODY_ALREADY_READ:
      'The host’s body parser took the body: send it as application/octet-stream, or mount the gateway before the parser.',
  },
  416: { RANGE_NOT_SATISFIABLE: 'The range begins behind the end.' },
  429: { TOO_MANY_REQUESTS: 'Too much at once, or too many failed logins: wait as `Retry-After` says.' },
  499: { CLIENT_HUNG_UP: 'Only in logs: the client did not wait for the answer.' },
  500: {
    INTERNAL: 'A fault of the gateway; its log has more under the request id.',
    DAMAGED: 'What is kept can not be read back: restore it from a backup, or delete it.',
    SECRET_UNREADABLE: 'A kept secret can not be unsealed: bring back the key, or enter the secret again.',
    STORAGE_FAILED: 'The storage can not be opened or written as a whole.',
  },
  501: {
    NOT_SUPPORTED: 'The driver in use does not offer this: `details.facet`.',
    MISSING_PACKAGE: 'This needs an optional package, which the host has not installed: `details.package`.',
  },
  502: {
    UNREACHABLE: 'Something that the gateway needs for this can not be reached.',
    UNUSABLE_ANSWER: 'A part of the cluster answered, and not as it should.',
    REFUSED: "The resource manager does not accept the gateway's user.",
    CONTAINER_FAILED: 'The container runtime could not do it; the message is for the operator.',
    MAIL_NOT_SENT: 'The mail server did not take the mail.',
    TEST_MAIL_NOT_SENT: 'The settings are saved, but the test mail could not be sent.',
  },
  503: {
    NOT_READY: 'Not now: try again, as `Retry-After` says.',
    STORAGE_IN_USE: 'Another gateway uses the directory of the storage.',
  },
  504: { TIMED_OUT: 'Something that the gateway needs for this did not answer in time.' },
  507: { NO_SPACE: 'The file system of the cluster is full, or a quota in it is used up.' },
} as const;

/** What the `code` of an error is: clients branch on it, and meet new ones with a newer gateway. */
export type ErrorCode = {
  [Status in keyof typeof errorCodes]: keyof (typeof errorCodes)[Status];
}[keyof typeof errorCodes];
