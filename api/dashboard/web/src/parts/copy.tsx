import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { t } from '../core/text.ts'
import { toast } from '../core/toast.ts'

export async function copy(text: string, message = t.parts.copied) {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // the browser's clipboard needs a permission, and does not work on http
    const el = document.createElement('textarea')
    el.value = text
    document.body.append(el)
    el.select()
    document.execCommand('copy')
    el.remove()
  }
  toast(message)
}

export function Copy({ text, label, lines }: { text: string; label: string; lines?: boolean }) {
  const [copied, setCopied] = useState(false)
  const copyText = () => {
    void copy(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div class="copy">
      {lines ? (
        <pre class="mono" tabIndex={0} role="region" aria-label={label}>
          {text}
        </pre>
      ) : (
        <input class="input mono" readOnly aria-label={label} value={text} onFocus={e => e.currentTarget.select()} />
      )}
      <Button onClick={copyText} icon={copied ? 'check' : 'copy'} text={copied ? t.parts.copied : t.parts.copy} of={label} />
    </div>
  )
}
