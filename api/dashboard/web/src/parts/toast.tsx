import { useEffect, useState } from 'preact/hooks'
import { Button, Link } from './button.tsx'
import { Sign } from './icons.tsx'
import { t } from '../core/text.ts'
import { removeToast, shown, type Toast } from '../core/toast.ts'

const stays = 8000 // ms for which a toast is shown; this time begins again when the pointer or the focus leaves the toast

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
    const timer = setTimeout(() => removeToast(o.id), stays)
    return () => clearTimeout(timer)
  }, [held, o.id])
  return (
    <div
      class="toast row"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}>
      <Sign name={o.bad ? 'warn' : 'check'} tone={o.bad ? 'warn' : 'good'} />
      <span class="grow wrap">{o.text}</span>
      {o.link && <Link look="sm" href={o.link.path} onClick={() => removeToast(o.id)} text={o.link.text} />}
      {o.undo && (
        <Button
          look="sm"
          onClick={() => {
            removeToast(o.id)
            void o.undo!()
          }}
          text={t.parts.undo}
        />
      )}
      <Button look="sm quiet icon" aria-label={t.close} onClick={() => removeToast(o.id)} icon="x" />
    </div>
  )
}
