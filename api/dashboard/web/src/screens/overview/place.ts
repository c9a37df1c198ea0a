// Where a person can fix the cause of an alert.
import type { Alert } from '../../api.gen.ts'
import { to } from '../../core/router.ts'
import { advice } from '../../text/advice.ts'

const screens: Record<string, string> = {
  offer: '/app/offers',
  lander: '/app/landers',
  source: '/app/sources',
  network: '/app/networks',
}

// places maps types of alerts to their screen.
const places: Record<string, (a: Alert) => string> = {
  'source.failing': a => to('/app/postbacks', { dir: 'out', source: a.id }),
  'source.unfilled': a => to('/app/sources', { id: a.id }),
  'webhook.failing': a => to('/app/webhooks', { webhook: a.id, state: 'failed' }),
  'postbacks.unread': a => to('/app/postbacks', a.kind === 'network' ? { network: a.id } : {}),
  'postbacks.refused': a => to('/app/postbacks', { state: 'refused', network: a.id }),
  'postbacks.unmatched': a => to('/app/unmatched', { network: a.id }),
  'clicks.unread': () => to('/app/corrections'),
  'currency.unconverted': () => to('/app/conversions'),
  'geo_database.failing': () => to('/app/integrations'),
  'rule.matched': () => to('/app/copilot', { tab: 'rules' }),
  'jobs.behind': () => to('/app/exports'),
  'clicks.behind': () => to('/app/alerts'),
}

// placeOf returns the screen on which a person can fix the cause of an alert, or the list of alerts.
export function placeOf(a: Alert): string {
  const place = places[a.type]
  if (place) return place(a)
  if (a.type.startsWith('plan.')) return to('/app/plan')
  if (a.kind === 'domain') return to('/app/domains', { id: a.id })
  if (a.kind === 'dns_account') return to('/app/integrations', { dns: a.id })
  if (a.kind === 'oauth_connection') return to('/app/integrations')
  if (/^(uploads|spend|network)\./.test(a.type)) return to('/app/integrations', { [a.kind]: a.id })
  return to(screens[a.kind] ?? '/app/alerts', screens[a.kind] ? { q: a.name } : {})
}

// seenOf returns what is wrong. A language with texts of its own may leave out details of the service's message.
export const seenOf = (a: Alert) => advice.seen(a.type, a.message)

// adviceOf returns what to do about an alert. Languages without a text of their own show the text of the service.
export const adviceOf = (a: Alert) => advice.does[a.type] ?? a.do
