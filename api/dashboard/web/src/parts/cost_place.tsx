import { useState } from 'preact/hooks'
import type { Target } from '../core/cost.ts'
import { failed, toast } from '../core/toast.ts'

// useCostSheet returns the sheet that sets a cost, to be rendered, and a function that opens the sheet. If the function is called
// without a target, a toast says for which rows a cost can be set.
export function useCostSheet() {
  const [module, setModule] = useState<typeof import('./cost.tsx')>(),
    [shown, setShown] = useState<{ of: Target; name: string }>()
  const open = (of: Target | undefined, name: string) =>
    void import('./cost.tsx').then(m => {
      setModule(m)
      if (of) setShown({ of, name })
      else toast(m.notHere)
    }, failed)
  return [shown && module && <module.CostSheet {...shown} close={() => setShown(undefined)} />, open] as const
}
