// Edits that would be lost if their form were closed, and the question that a person is asked before that.
import { useEffect, useRef } from 'preact/hooks'
import { signal } from '@preact/signals'

// forms holds a function for each open form. The function reports whether the form has edits that are not saved.
const forms = new Set<{ current?: () => boolean }>()
export const unsaved = () => [...forms].some(f => f.current?.())

// leaving is what a person wants to do and has to confirm, because it would lose edits.
export const leaving = signal<null | (() => void)>(null)

// confirmDiscard calls the function `on`, which closes forms. If edits would be lost, the person is asked first. Each question is
// a new function, so that the signal changes even for the same `on`.
export function confirmDiscard(on: () => void, loses = unsaved()) {
  if (loses) leaving.value = () => on()
  else on()
}

// useUnsaved registers a form while it is shown.
export function useUnsaved(edited?: () => boolean) {
  const last = useRef(edited)
  last.current = edited
  useEffect(() => {
    forms.add(last)
    return () => {
      forms.delete(last)
    }
  }, [])
}

addEventListener('beforeunload', e => {
  if (unsaved()) e.preventDefault()
})
