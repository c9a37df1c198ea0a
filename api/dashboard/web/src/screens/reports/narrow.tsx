import { useEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { type Name } from '../../core/figures.ts'
import { formulasOf } from '../../core/formula.ts'
import type { Ask } from '../../core/report.ts'
import { reportWords } from '../../text/reports.ts'

const onPhone: Name[] = ['clicks', 'profit', 'roi'], // the columns that a phone shows
  notOnTablet: Name[] = ['unique_clicks', 'lp_ctr', 'epc']

// showsAll is true while a narrow screen shows every column of the report. The table then scrolls sideways.
export const showsAll = signal(false)

export const isOnPhone = (name: Name) => onPhone.includes(name)
// offTablet is the class of a column that a small tablet leaves out.
export const offTablet = (name: Name) => (notOnTablet.includes(name) ? 'tablet-off' : '')

// hiddenIn returns how many columns of a report a phone or a small tablet leaves out.
export const hiddenIn = (ask: Pick<Ask, 'columns' | 'formulas'>, screen: Screen) =>
  screen === 'phone'
    ? ask.columns.filter(n => !isOnPhone(n)).length + formulasOf(ask.formulas).length
    : screen === 'tablet'
      ? ask.columns.filter(n => notOnTablet.includes(n)).length
      : 0

type Screen = 'phone' | 'tablet' | ''
const phone = matchMedia('(max-width: 720px)'),
  tablet = matchMedia('(min-width: 721px) and (max-width: 900px)')
const screenNow = (): Screen => (phone.matches ? 'phone' : tablet.matches ? 'tablet' : '')

function useScreen() {
  const [screen, setScreen] = useState(screenNow)
  useEffect(() => {
    const update = () => setScreen(screenNow())
    for (const query of [phone, tablet]) query.addEventListener('change', update)
    return () => {
      for (const query of [phone, tablet]) query.removeEventListener('change', update)
    }
  }, [])
  return screen
}

// NarrowLine says how many columns have no room on a narrow screen, and has a button that shows them. On a phone it also shows the
// note of the report, because a phone has no status bar.
export function NarrowLine({ ask, note }: { ask: Ask; note: string }) {
  const screen = useScreen(),
    hidden = hiddenIn(ask, screen)
  if (!screen || (!hidden && !note)) return null
  return (
    <div class="statusbar narrowline">
      {hidden > 0 && (
        <>
          <span>{showsAll.value ? reportWords.sideways : reportWords.noRoom(hidden)}</span>
          <Button
            look="sm"
            onClick={() => {
              showsAll.value = !showsAll.value
            }}
            text={showsAll.value ? reportWords.fewer : reportWords.allColumns}
          />
        </>
      )}
      {screen === 'phone' && note && <span class="note">{note}</span>}
    </div>
  )
}
