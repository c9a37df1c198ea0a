// The postback of a network, filled in as the network would call it.
import type { NetworkRow, OfferRow } from '../api.gen.ts'
import { unreached } from './call.ts'

const params = { click_id: 'clickid', payout: 'payout', status: 'status', conversion_id: 'conversion_id' }

type Network = Pick<NetworkRow, 'postback_url' | 'macros' | 'postback_params' | 'status_map' | 'currency'>

type Offer = Pick<OfferRow, 'payout' | 'payout_type' | 'currency'>

// hasFixedPayout reports whether an offer pays a fixed amount, which a test conversion then reports.
export const hasFixedPayout = (offer?: Offer): offer is Offer => !!offer && offer.payout_type === 'fixed' && offer.payout > 0

// testPostback returns the address that reports a test conversion of a click, with the fixed payout of its offer. Without a fixed
// payout it reports a payout of 1. With `changed`, the address reports the same conversion again with this status.
export function testPostback(n: Network, click: string, offer?: Offer, changed?: 'approved' | 'rejected'): string {
  const pays = hasFixedPayout(offer),
    status = changed ?? 'approved'
  const values: Record<string, string> = {
    click_id: click,
    payout: pays ? String(offer.payout) : '1',
    status: n.status_map[status]?.[0] ?? status,
    conversion_id: 'test',
    currency: pays ? offer.currency : n.currency,
  }
  const byMacro = new Map(Object.entries(n.macros).map(([field, macro]) => [macro, values[field] ?? ''])),
    byParam = new Map(Object.entries(params).map(([field, name]) => [n.postback_params[field] || name, values[field]!]))
  const [base = '', query = ''] = n.postback_url.split(/\?(.*)/s)
  const filled = query.split('&').map(pair => {
    const [name = '', macro = ''] = pair.split(/=(.*)/s),
      value = macro === '' ? byParam.get(name) : byMacro.get(macro)
    return value === undefined ? pair : `${name}=${encodeURIComponent(value)}`
  })
  const named = n.postback_params.status || params.status
  if (changed && !filled.some(pair => pair.startsWith(named + '='))) filled.push(`${named}=${encodeURIComponent(values.status!)}`)
  return query ? `${base}?${filled.join('&')}` : base
}

// callPostback calls the postback of a network on this host, which accepts the postbacks of every domain, and returns the status
// of the answer.
export const callPostback = (address: string) => {
  const { pathname, search } = new URL(address)
  return fetch(pathname + search).then(
    answer => answer.status,
    () => Promise.reject(unreached('POST')),
  )
}
