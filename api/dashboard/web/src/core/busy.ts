// One call of a form at a time.
import { useState } from 'preact/hooks'
import { failed } from './toast.ts'

// useBusy returns whether work is under way, and a function that starts work unless other work is under way. An error of the work
// goes to wrong, which shows it as a toast by default.
export function useBusy() {
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>, wrong: (e: unknown) => void = failed) => {
    if (busy) return
    setBusy(true)
    try {
      await work()
    } catch (e) {
      wrong(e)
    } finally {
      setBusy(false)
    }
  }
  return [busy, run] as const
}
