import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { spanText } from '../core/format.ts'
import { dateOf } from '../core/dates.ts'
import { me, zone } from '../core/me.ts'
import { change } from '../core/router.ts'
import { t } from '../core/text.ts'
import { before, compares, days, iso, presets, span, spanOf, type Span, type Window } from '../core/window.ts'
import { Icon } from './icons.tsx'
import { Item, Menu } from './menu.tsx'

export function Windows({ compare }: { compare: boolean }) {
  const w = span.value,
    known = presets.includes(w.name as (typeof presets)[number])
  const [custom, setCustom] = useState({ from: '', to: '' })
  const pick = (name: string, close: () => void) => {
    change({ w: name === '7d' ? null : name })
    close()
  }
  return (
    <>
      <Menu
        name={t.window.choose}
        icon="calendar"
        label={
          <>
            {known ? t.window.presets[w.name] : spanText(w.span)} {known && <span class="dim wide">{spanText(w.span)}</span>}
            <Icon name="down" />
          </>
        }>
        {close => (
          <>
            {presets.map(p => (
              <Item key={p} pressed={w.name === p} on={() => pick(p, close)}>
                {t.window.presets[p]}
                <span class="grow" />
                <span class="dim num">{spanText(spanOf(p, zone.value))}</span>
              </Item>
            ))}
            <form
              class="custom"
              onSubmit={e => {
                e.preventDefault()
                const from = custom.from || iso(w.span.from),
                  until = custom.to || iso(w.span.to)
                if (from <= until) pick(`${from}_${until}`, close)
              }}>
              {(['from', 'to'] as const).map(end => (
                <label key={end} class="field">
                  <span>{t.window[end]}</span>
                  <input
                    class="input"
                    type="date"
                    value={custom[end] || iso(w.span[end])}
                    onInput={e => setCustom({ ...custom, [end]: e.currentTarget.value })}
                  />
                </label>
              ))}
              <Button type="submit" look="primary" text={t.window.apply} />
            </form>
          </>
        )}
      </Menu>
      {compare && <Comparison of={w} />}
    </>
  )
}

const dates = ({ from, to }: Span) => [...new Set([iso(from), iso(to)])].map(day => dateOf(Date.parse(day), undefined, 'UTC')).join(' – ')

// WindowOnPaper names the days of the figures, with their year, on a printed screen.
export const WindowOnPaper = ({ compare }: { compare: boolean }) => (
  <p class="paper">
    {[
      dates(span.value.span),
      compare && compares.value && `${t.window.previous(days(span.value.span))} (${dates(before(span.value).span)})`,
      zone.value,
      me.value?.account.name,
    ]
      .filter(Boolean)
      .join(' · ')}
  </p>
)

function Comparison({ of: w }: { of: Window }) {
  const running = w.start <= Date.now() && Date.now() < w.end
  const pick = (cmp: string | null, close: () => void) => {
    change({ cmp })
    close()
  }
  return (
    <Menu
      name={t.window.compare}
      kind="btn quiet"
      class="wide"
      label={
        <>
          {compares.value ? t.window.previous(days(w.span)) : t.window.noCompare} <Icon name="down" />
        </>
      }>
      {close => (
        <>
          <Item pressed={compares.value} on={() => pick(null, close)}>
            {(running ? t.window.withPreviousSoFar : t.window.withPrevious)(spanText(before(w).span))}
          </Item>
          <Item pressed={!compares.value} on={() => pick('none', close)}>
            {t.window.without}
          </Item>
        </>
      )}
    </Menu>
  )
}
