// The postback of a network, filled in as the network would call it.
import type { NetworkRow } from '../api.gen.ts'

const params = { click_id: 'clickid', payout: 'payout', status: 'status', conversion_id: 'conversion_id' }

type Network = Pick<NetworkRow, 'postback_url' | 'macros' | 'postback_params' | 'status_map' | 'currency'>

// testPostback returns the address that reports an approved test conversion of a click. A second call reports the same conversion. A
// macro without a made-up value stays empty.
export function testPostback(n: Network, click: string): string {
  const values: Record<string, string> = {
    click_id: click,
    payout: '1',
    status: n.status_map.approved?.[0] ?? 'approved',
    conversion_id: 'test',
    currency: n.currency,
  }
  const byMacro = new Map(Object.entries(n.macros).map(([field, macro]) => [macro, values[field] ?? ''])),
    byParam = new Map(Object.entries(params).map(([field, name]) => [n.postback_params[field] || name, values[field]!]))
  const [base = '', query = ''] = n.postback_url.split(/\?(.*)/s)
  const filled = query.split('&').map(pair => {
    const [name = '', macro = ''] = pair.split(/=(.*)/s),
      value = macro === '' ? byParam.get(name) : byMacro.get(macro)
    return value === undefined ? pair : `${name}=${encodeURIComponent(value)}`
  })
  return query ? `${base}?${filled.join('&')}` : base
}
