// The short messages at the edge of the page.
import { signal } from '@preact/signals'
import { ApiError } from './call.ts'
import { sentence } from './errors.ts'
import { touches } from './query.ts'
import { t } from './text.ts'

export type Toast = { id: number; text: string; undo?: () => unknown; link?: { path: string; text: string }; bad?: boolean }

export const shown = signal<Toast[]>([])
let last = 0

// toast shows a short message, such as that something is done, and may offer to undo it.
export const toast = (text: string, more: Partial<Toast> = {}) => {
  shown.value = [...shown.value.slice(-2), { id: ++last, text, ...more }]
}
// toastAndReload reports a write that succeeded. It shows `text` as a toast. Answers of the calls whose paths begin with one of
// `names` are loaded again.
export const toastAndReload = (text: string, ...names: string[]) => {
  touches(...names)
  toast(text)
}
export const failed = (e: unknown, what?: string) => {
  const why = e instanceof ApiError ? sentence(e) : String(e)
  toast(what ? t.failed.notDone(what, why) : why, { bad: true })
}
export const removeToast = (id: number) => {
  shown.value = shown.value.filter(o => o.id !== id)
}
