import * as z from 'zod'
import { count, listOf, oneOf, section, text, textLike, whole } from './schema-kinds.ts'

/** Everything that a header can carry; who wrote a file for llama-swap may have used more than ASCII. */
const secret = () => textLike(/^\S+$/, 'a key without blanks')

/** A name goes into logs, tables and headers. */
const keyName = () => textLike(/^[\w.@-]{1,64}$/, 'a name of at most 64 letters, digits, and . _ @ -')

const keySchema = section({
  key: secret(),
  keyFile: text(),
  name: keyName(),
  scopes: listOf(oneOf('infer', 'read', 'admin')),
  models: listOf(text()),
  maxPriority: whole(-100, 100),
  concurrency: count(1),
})

const ORIGIN = 'an origin as browsers send it, like https://chat.example.org or http://localhost:3000'
const HOST_NAME = 'a host name without scheme and port, like box.example.org or *.example.org'

export const apiKeysSchema = () => listOf(z.union([keySchema, secret()], { error: 'a key without blanks' }))
export const originsSchema = () => listOf(textLike(/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*"<>,;]+$/i, ORIGIN))
export const hostNamesSchema = () => listOf(textLike(/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i, HOST_NAME))

/** Hosts stand in metrics, logs and headers. */
export const agentIdSchema = () => textLike(/^[\w.-]{1,64}$/, 'a name of letters, digits, dots, dashes and underscores')

export const agentUrlSchema = () =>
  textLike(
    /^https?:\/\/(?:\[[0-9a-f:.]+\]|[^\s/:?#@[\]]+):\d{1,5}\/?$/i,
    'an address with its port, like http://127.0.0.1:8078 or https://gpu-box:8078',
  )
