/** Hands mails to a mail server. In the box: `smtpMailer` of `headgate/mail/smtp`. */
export interface Mailer {
  /**
   * One try, over a connection of its own. Resolves when the server has taken the mail for at least one recipient, with
   * those that it did not take it for. Rejects with `MailNotSent`, saying whether the server or this mail is to blame;
   * any other error counts as the server's. Stops at once when the signal aborts.
   */
  send(
    mail: Mail,
    server: MailServer,
    options: { readonly signal: AbortSignal },
  ): Promise<readonly RefusedRecipient[]>;
}

/** Checked: addresses are plain, no header holds a line break. */
export interface Mail {
  /** The same at each try, so that receivers can tell a repetition: 1 to 64 letters, digits and hyphens. */
  readonly id: string;
  /** 1 to 50 addresses, of ASCII characters. */
  readonly to: readonly string[];
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** The same as a page, all values escaped. */
  readonly html: string;
  /** When what it tells of happened, epoch milliseconds. */
  readonly time: number;
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls`: STARTTLS, which must succeed. `ssl`: TLS from the first byte. Certificates are checked in both. */
  readonly encryption: 'tls' | 'ssl' | 'none';
  /** Absent: no login. */
  readonly login?: { readonly userName: string; readonly password: string };
  readonly from: { readonly address: string; readonly name: string };
}

export interface RefusedRecipient {
  readonly address: string;
  /** Of the server's answer, such as 450; 0: none was understood. From 500 on trying again is no use. */
  readonly replyCode: number;
}
