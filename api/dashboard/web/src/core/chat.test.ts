import { equal, test } from '../testing.ts'
import { linkOf } from './chat.ts'

const id = '0198b7a2-5c1e-7d3f-8a4b-2f9e6c1d0a57'
const link = (operation: string, query: Record<string, string> = {}) => linkOf({ operation, query, rows: 1, error: null })

test('the link leads to the screen that shows what the chat has read', () => {
  equal(
    link('GET /reports/performance', { dimension: 'os', sort: 'profit', from: '2026-03-01 00:00:00', to: '2026-03-07', 'f.country': 'DE' }),
    {
      path: '/app/reports',
      params: { w: '2026-03-01_2026-03-07', 'f.country': 'DE', g: 'os', sort: 'profit' },
    },
  )
  equal(link('GET /campaigns/{id}/check', { id }), { path: `/app/campaigns/${id}`, params: { check: '1' } })
  equal(link('POST /tools/simulate', { id }), { path: `/app/campaigns/${id}/flow`, params: {} })
  equal(link('GET /networks/{id}/difference', { id }), { path: `/app/networks/${id}/difference`, params: {} })
  equal(link('GET /logs/clicks/{clickId}', { clickId: '0Cx' }), { path: '/app/clicks', params: { click: '0Cx' } })
})

test('there is no link if no screen shows the answer, or if the id of the record is not valid', () => {
  equal(link('GET /plan'), null)
  equal(link('GET /campaigns/{id}', { id: '../keys' }), null)
})
