import type { SchedulerView } from '@lswap/core'
import { sendDocument, sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { Catalog } from '../catalog.ts'
import { UPSTREAM } from '../upstream-route.ts'
import { stateOf } from './models.ts'

/** The engines' own addresses below ours: links for a browser, JSON for the rest. */
export const listUpstreams = (call: Call, catalog: Catalog, view: SchedulerView): void => {
  const upstreams = catalog.models
    .filter(({ unlisted }) => !unlisted)
    .map(({ id }) => ({ model: id, path: `${UPSTREAM}${escaped(id)}/`, state: stateOf(view.models.get(id)) }))
  if (!(call.req.headers.accept ?? '').includes('text/html')) return sendJson(call.res, 200, { upstreams })
  const items = upstreams.map(
    ({ model, path, state }) => `<li><a href="${inHtml(path)}">${inHtml(model)}</a> ${state}</li>`,
  )
  return sendDocument(call.res, {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    text: `<!doctype html><meta charset="utf-8"><title>lswap</title>
<p>lswap runs. Programs ask at <code>/v1</code>; below are the pages of the engines.</p>
<ul>${items.join('\n')}</ul>\n`,
  })
}

/** For good, and with the same method. */
export const redirect = (call: Call, location: string): void => {
  const query = call.query === '' ? '' : `?${call.query}`
  const isLook = call.method === 'GET' || call.method === 'HEAD'
  call.res.writeHead(isLook ? 301 : 308, { Location: location + query, 'Content-Length': 0 })
  call.res.end()
}

/** Slashes stay: they separate what an id is made of. */
const escaped = (id: string): string => id.split('/').map(encodeURIComponent).join('/')

const inHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
