import { spawnSync } from 'node:child_process'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../scripts/lib/free-port.mjs'
import { startServer, untilListening } from './child.mjs'

// The yardsticks, each as one process with one thread in front of the same engine. Neither looks at bodies.

const kinds = { nginx: { files: nginxFiles, argv: nginxArgv }, haproxy: { files: haproxyFiles, argv: haproxyArgv } }

/** Those that this machine has, and the names of the others. */
export async function startReferences({ folder, pin, enginePort }) {
  const missing = Object.keys(kinds).filter((name) => spawnSync(name, ['-v']).error)
  const targets = []
  for (const name of Object.keys(kinds)) {
    if (!missing.includes(name)) targets.push(await startReference(name, { folder, pin, enginePort }))
  }
  return { targets, missing }
}

async function startReference(name, { folder, pin, enginePort }) {
  const { files, argv } = kinds[name]
  const port = await freePort()
  const home = join(folder, name)
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'conf'), files({ home, port, enginePort }))
  const log = await open(join(home, 'log'), 'w')
  const server = startServer([...pin, name, ...argv(home)], { log: log.fd, cwd: home })
  await log.close()
  await untilListening(port, server)
  return { name, port, ...server }
}

function nginxFiles({ home, port, enginePort }) {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  )
  return `daemon off; master_process off; worker_processes 1; pid ${home}/pid; error_log ${home}/error warn;
events { worker_connections 16384; }
http {
  access_log off; client_body_buffer_size 2m; client_max_body_size 0; keepalive_requests 100000000;
  ${folders.join(' ')}
  upstream engine { server 127.0.0.1:${enginePort}; keepalive 1024; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 600s;
    }
  }
}
`
}

function nginxArgv(home) {
  return ['-p', home, '-e', join(home, 'error'), '-c', join(home, 'conf')]
}

// Without http-no-delay it holds events back for up to 200 ms.
function haproxyFiles({ port, enginePort }) {
  return `global
  nbthread 1
  maxconn 8000
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  http-reuse always
  option http-no-delay
frontend clients
  bind 127.0.0.1:${port} backlog 4096
  default_backend engine
backend engine
  server one 127.0.0.1:${enginePort} pool-max-conn 2048
`
}

function haproxyArgv(home) {
  return ['-db', '-f', join(home, 'conf')]
}
