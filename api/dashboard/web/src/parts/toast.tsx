import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../core/call.ts'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import { sentence } from './state.tsx'

type Toast = { id: number; text: string; undo?: () => unknown; link?: { path: string; text: string }; bad?: boolean }
const shown = signal<Toast[]>([])
const stays = 8000 // ms, while the pointer is not over it
let last = 0

// toast shows a short message, such as that something is done, and may offer to undo it.
export const toast = (text: string, more: Partial<Toast> = {}) => {
  shown.value = [...shown.value.slice(-2), { id: ++last, text, ...more }]
}
export const failed = (e: unknown) => toast(e instanceof ApiError ? sentence(e) : String(e), { bad: true })
const drop = (id: number) => {
  shown.value = shown.value.filter(o => o.id !== id)
}

// Toasts shows the current messages.
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {shown.value.map(o => (
      <One key={o.id} of={o} />
    ))}
  </div>
)

function One({ of: o }: { of: Toast }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => drop(o.id), stays)
    return () => clearTimeout(timer)
  }, [held])
  return (
    <div
      class="toast row"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}>
      <span class={'ico ' + (o.bad ? 'warn' : 'good')}>
        <Icon name={o.bad ? 'warn' : 'check'} />
      </span>
      <span class="grow wrap">{o.text}</span>
      {o.link && (
        <a class="btn sm" href={o.link.path} onClick={() => drop(o.id)}>
          {o.link.text}
        </a>
      )}
      {o.undo && (
        <button
          type="button"
          class="btn sm"
          onClick={() => {
            drop(o.id)
            void o.undo!()
          }}>
          {t.parts.undo}
        </button>
      )}
      <button type="button" class="btn sm quiet icon" aria-label={t.close} onClick={() => drop(o.id)}>
        <Icon name="x" />
      </button>
    </div>
  )
}
