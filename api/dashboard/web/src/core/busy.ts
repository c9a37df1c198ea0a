// One call of a form at a time.
import { useState } from 'preact/hooks'
import { failed } from './toast.ts'

// useBusy returns whether work is under way, and a function that starts work unless other work is under way. An error of the work
// is passed to the function `wrong`, which by default shows it as a toast.
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

// useAttempt is useBusy for work whose error is shown where the work was started. `wrong` is the result of `explain` for the
// error of the last work.
export function useAttempt<W>(explain: (e: unknown) => W) {
  const [busy, start] = useBusy(),
    [wrong, setWrong] = useState<W>()
  const run = (work: () => Promise<unknown>) =>
    start(
      async () => {
        setWrong(undefined)
        await work()
      },
      e => setWrong(() => explain(e)),
    )
  return { busy, wrong, setWrong, run }
}
