import { useRef, useState } from 'preact/hooks'
import { asWritten } from '../core/idn.ts'
import { insertToken, looksLikeURL, partsOf } from '../core/tokens.ts'
import { t } from '../core/text.ts'
import { w } from '../text/tokens.ts'
import { tokens } from '../words.gen.ts'
import { Input, type Wired } from './form.tsx'
import { Choices } from './choices.tsx'
import { Menu } from './menu.tsx'

const docs: Record<string, string> = Object.fromEntries(tokens.map(k => [k.name, w.meaning[k.name] ?? k.doc]))

export const Tokens = ({ url, postback }: { url: string; postback?: boolean }) => (
  <>
    {partsOf(url, postback).map((p, i) =>
      p.state === 'text' ? (
        p.text
      ) : (
        <mark
          key={i}
          class={'token ' + p.state}
          title={p.state === 'unknown' ? t.parts.unknownToken : p.state === 'conversion' ? t.parts.conversionToken : undefined}>
          {p.text}
        </mark>
      ),
    )}
  </>
)

type Props = {
  value: string
  on: (v: string) => void
  wired?: Wired
  postback?: boolean // tokens of a conversion are known too
  label: string
  placeholder?: string
}

// UrlInput takes an address. Below the field it marks the tokens, and names the tokens that nothing fills. If the text is not an
// address, a warning is shown when the person leaves the field.
export function UrlInput({ value, on, wired, postback, label, placeholder = 'https://' }: Props) {
  const el = useRef<HTMLSpanElement>(null),
    [isTyping, setTyping] = useState(false)
  const parts = partsOf(value, postback),
    wrong = parts.filter(p => p.state === 'unknown' || p.state === 'conversion')
  const insert = (name: string) => {
    const input = el.current!.querySelector('input')!,
      from = input.selectionStart ?? value.length,
      { url, at } = insertToken(value, name, from, input.selectionEnd ?? from)
    on(url)
    requestAnimationFrame(() => {
      input.focus()
      input.setSelectionRange(at, at)
    })
  }
  return (
    <span class="url" ref={el}>
      <span class="row">
        <Input
          class="mono grow"
          type="url"
          inputMode="url"
          spellcheck={false}
          autocomplete="off"
          wired={wired}
          aria-label={wired ? undefined : label}
          placeholder={placeholder}
          value={asWritten(value)}
          on={on}
          onFocus={() => setTyping(true)}
          onBlur={() => setTyping(false)}
        />
        <Menu name={t.parts.tokens} icon="plus" label={t.parts.token}>
          {close => (
            <Choices
              list={tokens.filter(k => postback || !k.of_conversion).map(k => k.name)}
              text={name => `{${name}} ${docs[name]}`}
              show={name => (
                <>
                  <span class="mono">{`{${name}}`}</span>
                  <span class="dim cut" title={docs[name]}>
                    {docs[name]}
                  </span>
                </>
              )}
              pick={name => {
                close()
                insert(name)
              }}
            />
          )}
        </Menu>
      </span>
      {parts.some(p => p.state !== 'text') && (
        <span class="mono marked">
          <Tokens url={value} postback={postback} />
        </span>
      )}
      {value && !isTyping && !looksLikeURL(value) && <small class="warn">{t.parts.notURL}</small>}
      {wrong.length > 0 && (
        <small class="warn">
          {wrong.some(p => p.state === 'unknown')
            ? t.parts.unknownTokens(
                wrong
                  .filter(p => p.state === 'unknown')
                  .map(p => p.text)
                  .join(', '),
              )
            : t.parts.conversionTokens(wrong.map(p => p.text).join(', '))}
        </small>
      )}
    </span>
  )
}
