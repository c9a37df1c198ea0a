// The conversation with the account's language model. It is kept until the page is reloaded.
import { signal } from '@preact/signals'
import type { ChatAnswer, ChatLookup } from '../api.gen.ts'
import { me } from './me.ts'

export type Turn = { role: 'user' | 'assistant'; content: string; answer?: ChatAnswer; failed?: boolean }
// conversations holds the turns of each person in each account.
const conversations = signal<Record<string, Turn[]>>({})
const owner = () => me.value?.account.id + ':' + me.value?.id

export const turns = () => conversations.value[owner()] ?? []
export const setTurns = (list: Turn[]) => {
  conversations.value = { ...conversations.value, [owner()]: list }
}

const most = 12 // turns that the service uses
// sentOf returns the turns of a conversation that are sent: the last ones that did not fail and are not empty. A long turn is
// cut.
export const sentOf = (list: Turn[]) =>
  list
    .filter(o => !o.failed && o.content.trim())
    .slice(-most)
    .map(({ role, content }) => ({ role, content: content.slice(0, 8000) }))

// screens maps a call of the API that the chat has made (a look-up) to the screen that shows the same data. {id} stands for the id of
// the record that the chat has read.
const screens: Record<string, string> = {
  'GET /reports/performance': '/app/reports',
  'GET /reports/values': '/app/reports',
  'GET /reports/trends': '/app',
  'GET /stats/overview': '/app',
  'GET /logs/clicks': '/app/clicks',
  'GET /logs/clicks/{clickId}': '/app/clicks',
  'GET /logs/conversions': '/app/conversions',
  'GET /logs/postbacks': '/app/postbacks',
  'GET /campaigns': '/app/campaigns',
  'GET /campaigns/{id}': '/app/campaigns/{id}',
  'GET /campaigns/{id}/compare': '/app/campaigns/{id}/figures',
  'GET /campaigns/{id}/changes': '/app/campaigns/{id}/figures',
  'GET /campaigns/{id}/check': '/app/campaigns/{id}',
  'POST /tools/simulate': '/app/campaigns/{id}/flow',
  'GET /offers': '/app/offers',
  'GET /landers': '/app/landers',
  'GET /traffic-sources': '/app/sources',
  'GET /traffic-sources/{id}/difference': '/app/sources/{id}/difference',
  'GET /networks': '/app/networks',
  'GET /networks/{id}/difference': '/app/networks/{id}/difference',
  'GET /short-links': '/app/smartlinks',
  'GET /alerts': '/app/alerts',
  'GET /copilot': '/app/copilot',
}

// linkOf returns the screen that shows the result of a look-up, with the same window and filters.
export function linkOf({ operation, query }: ChatLookup): { path: string; params: Record<string, string> } | null {
  const screen = screens[operation],
    id = query.id ?? ''
  if (!screen || (screen.includes('{id}') && !/^[0-9a-f-]{36}$/i.test(id))) return null
  const path = screen.replace('{id}', id),
    params: Record<string, string> = {},
    from = query.from?.slice(0, 10),
    until = query.to?.slice(0, 10)
  if (from && until) params.w = `${from}_${until}`
  for (const [name, value] of Object.entries(query)) if (/^[fx]\.[a-z0-9_]+$/.test(name)) params[name] = value
  if (path === '/app/reports' && query.dimension) params.g = query.dimension
  if (path === '/app/reports' && query.sort) params.sort = query.sort
  if (path === '/app/clicks' && query.clickId) params.click = query.clickId
  if (operation.endsWith('/check')) params.check = '1'
  return { path, params }
}
