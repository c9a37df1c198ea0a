// Made of the table of measures by the API's tests (-run TestTypes -update). Do not edit.
import type { FigureRow } from './api.gen.ts'

// A term is the name of a measure, after a minus if it is subtracted. Only quotients have terms in `under`.
type Term = keyof FigureRow | `-${keyof FigureRow}`
export interface Measure {
  kind: 'count' | 'money' | 'small' | 'percent'
  digits: number
  good: number
  test: '' | 'count' | 'share' | 'sales'
  over: Term[]
  under: Term[]
}
export const measures: Record<keyof FigureRow, Measure> = {
  clicks: {"digits":2,"good":1,"kind":"count","over":[],"test":"count","under":[]},
  unique_clicks: {"digits":2,"good":1,"kind":"count","over":[],"test":"count","under":[]},
  bot_clicks: {"digits":2,"good":-1,"kind":"count","over":[],"test":"count","under":[]},
  lp_views: {"digits":2,"good":1,"kind":"count","over":[],"test":"count","under":[]},
  lp_clicks: {"digits":2,"good":1,"kind":"count","over":[],"test":"count","under":[]},
  lp_ctr: {"digits":1,"good":1,"kind":"percent","over":["lp_clicks"],"test":"share","under":["lp_views"]},
  conversions: {"digits":2,"good":1,"kind":"count","over":["approved","pending"],"test":"count","under":[]},
  approved: {"digits":2,"good":1,"kind":"count","over":[],"test":"count","under":[]},
  pending: {"digits":2,"good":0,"kind":"count","over":[],"test":"count","under":[]},
  rejected: {"digits":2,"good":-1,"kind":"count","over":[],"test":"count","under":[]},
  chargebacks: {"digits":2,"good":-1,"kind":"count","over":[],"test":"count","under":[]},
  cr: {"digits":2,"good":1,"kind":"percent","over":["conversions"],"test":"share","under":["clicks"]},
  cost: {"digits":2,"good":0,"kind":"money","over":[],"test":"","under":[]},
  revenue: {"digits":2,"good":1,"kind":"money","over":[],"test":"sales","under":[]},
  pending_revenue: {"digits":2,"good":0,"kind":"money","over":[],"test":"","under":[]},
  profit: {"digits":2,"good":1,"kind":"money","over":["revenue","-cost"],"test":"sales","under":[]},
  roi: {"digits":1,"good":1,"kind":"percent","over":["profit"],"test":"sales","under":["cost"]},
  epc: {"digits":2,"good":1,"kind":"small","over":["revenue"],"test":"sales","under":["clicks"]},
  cpc: {"digits":2,"good":0,"kind":"small","over":["cost"],"test":"","under":["clicks"]},
  cpa: {"digits":2,"good":0,"kind":"money","over":["cost"],"test":"sales","under":["conversions"]},
  approve_rate: {"digits":1,"good":1,"kind":"percent","over":["approved"],"test":"share","under":["conversions","rejected"]},
}
