import { useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { targetOf } from '../../core/cost.ts'
import { zone } from '../../core/me.ts'
import { change, place } from '../../core/router.ts'
import { handleSubmit } from '../../core/submit.ts'
import { useUnsaved } from '../../core/unsaved.ts'
import { spanOf } from '../../core/window.ts'
import { Button } from '../../parts/button.tsx'
import { CostFields, useCost } from '../../parts/cost.tsx'
import { Seg } from '../../parts/form.tsx'
import { w } from '../../text/cost.ts'

// Ways chooses whether a cost is set by hand or by a file.
export const Ways = () => (
  <Seg
    label={w.how}
    value={place.value.query.get('by') === 'csv' ? 'csv' : 'hand'}
    options={(['hand', 'csv'] as const).map(value => ({ value, label: w.tabs[value] }))}
    on={v => change({ by: v === 'csv' ? v : null }, true)}
  />
)

// ByHand is the form that sets a cost by hand.
export function ByHand({ kinds }: { kinds: ComponentChildren }) {
  const [round, setRound] = useState(0)
  return (
    <section class="card">
      <header>
        {kinds}
        <Ways />
      </header>
      <Form key={round} done={() => setRound(round + 1)} />
    </section>
  )
}

function Form({ done }: { done: () => void }) {
  const cost = useCost(targetOf(spanOf('yesterday', zone.value)), done)
  useUnsaved(() => cost.amount !== null)
  return (
    <form class="part body cost" onSubmit={handleSubmit(cost.send)}>
      <CostFields of={cost} />
      <div class="row">
        <Button type="submit" look="primary" disabled={!cost.ready} text={w.go} />
      </div>
    </form>
  )
}
