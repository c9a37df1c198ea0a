import { useEffect, useRef, useState } from 'preact/hooks'
import type { ClickRow, ConversionRow, Performance } from '../../api.gen.ts'
import { me } from '../../core/me.ts'
import { isTest } from '../../core/test_id.ts'
import { touches, use } from '../../core/query.ts'

const every = 3, // seconds between requests for the first click and the first conversion
  ever = { limit: 1, from: '2020-01-01' },
  fewClicks = 100, // an account with fewer clicks may still be in its set-up
  fewConversions = 3, // an account with more conversions has finished its set-up
  closedName = 'first_steps_closed' // key in the browser's storage; its value is the account whose steps a person has closed

// First says how far an account has come in its set-up. `waits` is true while the steps of the set-up are shown. reset is called
// when the test conversion has been rejected.
export type First = {
  waits: boolean
  known: boolean
  seen?: ClickRow
  converted?: ConversionRow
  reset: () => void
  close: () => void
}

// useFirst checks whether an account with no or few figures has ever had a click and a conversion, and waits for the first ones.
// The steps stay in sight after the first conversion, until a person closes them or the account has more than a few conversions.
export function useFirst(list: Performance | undefined): First {
  const [waiting, setWaiting] = useState(false),
    [firstClick, setFirstClick] = useState<ClickRow>(),
    [converted, setConverted] = useState<ConversionRow>(),
    takenOut = useRef('') // the time of the rejected test conversion; an answer from before the rejection still contains it
  const nothing = list?.rows.length === 0,
    starts = list?.rows.length === 1 && list.totals.clicks < fewClicks && list.totals.conversions <= fewConversions,
    asks = nothing || starts || waiting
  const { data, error } = use('GET /logs/clicks', asks && !firstClick ? ever : null, every)
  const looks = !converted || isTest(converted.conversion_id), // a test is followed by the first real conversion
    conversions = use(
      'GET /logs/conversions',
      (starts || waiting) && firstClick && looks ? { ...ever, limit: fewConversions + 1 } : null,
      every,
    ).data
  useEffect(() => {
    const row = data?.rows[0]
    if (!data || firstClick) return
    if (!row) return setWaiting(true)
    setFirstClick(row)
    if (waiting) touches('campaigns', 'reports')
  }, [data, waiting, firstClick])
  useEffect(() => {
    if (!conversions || !looks) return
    const real = conversions.rows.find(c => !isTest(c.conversion_id)),
      row = real ?? converted ?? conversions.rows.find(c => c.status !== 'rejected' && c.updated_at !== takenOut.current),
      isNew = conversions.rows.length <= fewConversions && localStorage.getItem(closedName) !== me.value!.account.id
    if (!real || isNew) setWaiting(true)
    if (!row || row === converted) return
    setConverted(row)
    if (waiting) touches('campaigns', 'reports')
  }, [conversions, waiting, converted, looks])
  const reset = () => {
    takenOut.current = converted!.updated_at
    setConverted(undefined)
  }
  const close = () => {
    localStorage.setItem(closedName, me.value!.account.id)
    setWaiting(false)
  }
  return { waits: waiting, known: !!firstClick || !!error, seen: firstClick, converted, reset, close }
}
