import { useEffect, useState } from 'preact/hooks'
import type { Performance } from '../../api.gen.ts'
import type { Ask } from '../../core/report.ts'
import { change, place } from '../../core/router.ts'
import { Button } from '../../parts/button.tsx'
import { w } from '../../text/plots.ts'

const open = () => place.value.query.get('chart')

// ChartSwitch shows the chart above the report, or hides it.
export const ChartSwitch = () => (
  <Button
    aria-pressed={!!open()}
    title={open() ? w.hide : undefined}
    onClick={() => change({ chart: open() ? null : 'bars', figure: null }, true)}
    icon="reports"
    text={w.chart}
  />
)

// ChartPlace loads the chart when it is first shown.
export function ChartPlace({ ask, root }: { ask: Ask; root?: Performance }) {
  const [module, setModule] = useState<typeof import('./chart.tsx')>(),
    kind = open()
  useEffect(() => {
    if (kind) void import('./chart.tsx').then(setModule)
  }, [kind])
  return kind && module && root && root.rows.length > 0 ? <module.Chart ask={ask} root={root} kind={kind} /> : null
}
