import { quiet, usePress } from '../core/keys.ts'
import { Button } from './button.tsx'
import { t } from '../core/text.ts'

// Steps lead from the record in a sheet to its neighbours in the list.
export type Steps = { go: (by: number) => void; first: boolean; last: boolean }

export const stepsOf = <T,>(rows: T[] | undefined, at: number, show: (row: T) => void): Steps => ({
  go: by => {
    const next = rows?.[at + by]
    if (next) show(next)
  },
  first: at <= 0,
  last: at + 1 >= (rows?.length ?? 0),
})

// useLetters lets J and K go to the neighbours of the record in a sheet. `on` has a function for each other letter.
export function useLetters(step: Steps, on: Record<string, () => void> = {}) {
  const acts: Record<string, () => void> = { j: () => step.go(1), k: () => step.go(-1), ...on }
  usePress(e => {
    const act = acts[e.key],
      away = (e.target as Element).closest('input, textarea, select, [popover], dialog dialog')
    if (!act || quiet(e) || e.ctrlKey || e.metaKey || e.altKey || away) return
    e.preventDefault()
    act()
  })
}

export const Stepper = ({ of }: { of: Steps }) => (
  <>
    <Button
      look="icon"
      aria-label={t.parts.previous}
      title={`${t.parts.previous} (K)`}
      disabled={of.first}
      onClick={() => of.go(-1)}
      icon="upward"
    />
    <Button look="icon" aria-label={t.parts.next} title={`${t.parts.next} (J)`} disabled={of.last} onClick={() => of.go(1)} icon="down" />
  </>
)
