import { useEffect, useState } from 'preact/hooks'
import type { PerformanceRow } from '../api.gen.ts'
import type { Name } from '../core/figures.ts'
import { Late } from './state.tsx'

type Props = { rows: PerformanceRow[]; name: Name; label: string }

// WorldPlace loads the map of countries when it is first shown.
export function WorldPlace(p: Props) {
  const [module, setModule] = useState<typeof import('./world.tsx')>()
  useEffect(() => {
    void import('./world.tsx').then(setModule)
  }, [])
  return module ? (
    <module.World {...p} />
  ) : (
    <Late>
      <div class="skeleton" style="height:332px" />
    </Late>
  )
}
