/** What a listener proves itself with, as PEM. */
export interface TlsIdentity {
  /** The certificate, and those of its chain behind it. */
  readonly cert: string
  readonly key: string
}
