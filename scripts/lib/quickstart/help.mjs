export const help = `usage: scripts/quickstart [--port N] [--once]

  --port N   listen on 127.0.0.1:N (default: $LSWAP_PORT, else 8080)
  --once     send the two requests, print the answers and end
`
