/** `HF_TOKEN`, `--api-key`, `DB_PASSWORD`; not `MAX_TOKENS`, and not `TLS_KEY_FILE`, which is a path. */
const SECRET = /(?:^|[._-])(?:api_?key|key|token|secret|password|passwd|passphrase|credentials?)$/i

/** Whether a variable or a switch of this name holds what nobody may read. */
export const hasSecretName = (name: string): boolean => SECRET.test(name)
