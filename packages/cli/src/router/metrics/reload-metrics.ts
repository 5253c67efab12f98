import { Counter, Gauge, type Registry } from 'prom-client'

/** Counts reloads; the gauge is what an alert asks: does what runs agree with the file? */
export const createReloadMetrics = (registers: Registry[]): ((ok: boolean) => void) => {
  const reloads = new Counter({
    name: 'lswap_config_reloads_total',
    help: 'Times that the configuration was read again, by result.',
    labelNames: ['result'],
    registers,
  })
  const last = new Gauge({
    name: 'lswap_config_last_reload_successful',
    help: '1 when the last reading of the configuration was taken over, 0 when it had mistakes.',
    registers,
  })
  last.set(1)
  return (ok) => {
    reloads.inc({ result: ok ? 'done' : 'refused' })
    last.set(ok ? 1 : 0)
  }
}
