import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { t } from '../core/text.ts'
import { drop, shown, type Toast } from '../core/toast.ts'
import { Icon } from './icons.tsx'

const stays = 8000 // ms, while the pointer is not over it

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
  }, [held, o.id])
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
        <Button
          look="sm"
          onClick={() => {
            drop(o.id)
            void o.undo!()
          }}
          text={t.parts.undo}
        />
      )}
      <Button look="sm quiet icon" aria-label={t.close} onClick={() => drop(o.id)} icon="x" />
    </div>
  )
}
