import { useState } from 'preact/hooks'
import type { Destination, Path } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { choicesOf, type Choice } from '../../core/choices.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { CapText, useCaps } from '../../parts/caps.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Input, Select } from '../../parts/form.tsx'
import { UrlInput } from '../../parts/url_input.tsx'
import type { Book, useBook } from './book.ts'
import { isLander, nameOf, shareOf, displayName, split } from './edit.ts'
import { shareText } from './text.ts'

type Props = { path: Path; book: Book; records: ReturnType<typeof useBook>; on: (c: Partial<Path>) => void }

// Destinations edits the landing pages, offers and URLs of a path with their weights.
export function Destinations({ path: p, book, records, on }: Props) {
  const { landers, onward } = split(p, book.known),
    caps = useCaps(),
    [address, setAddress] = useState(''),
    hasLanders = p.action === 'lander',
    onlyURLs = p.action === 'redirect' && onward.every(d => d.url)
  const replace = (destinations: Destination[]) => on({ destinations })
  const add = (d: Partial<Destination>) => replace([...p.destinations, { ...d, weight: 100 }])
  const set = (d: Destination, change: Partial<Destination>) => replace(p.destinations.map(o => (o === d ? { ...o, ...change } : o)))
  // adder shows a list of records from which one is added to the path. A record can be added once, except an offer behind landing
  // pages, which may be in several slots.
  const adder = (label: string, choices: Choice[] | undefined, among: Destination[]) => (
    <Combobox
      label={label}
      placeholder={label}
      value=""
      choices={choices?.filter(c => !among.some(d => d.id === c.value))}
      on={id => {
        if (id) add({ id })
      }}
    />
  )
  const rows = (list: Destination[], label: string) =>
    list.length > 0 && (
      <div class="dests" role="group" aria-label={label}>
        {list.map((d, i) => (
          <div key={i} class="row">
            <span class="grow cut" title={nameOf(d, book.known)}>
              {displayName(d, book.known, t.gone)}
              <small class="block dim">
                <CapText caps={caps} offer={d.id} />
              </small>
            </span>
            {hasLanders && !isLander(d, book.known) && (
              <Select
                label={flowWords.slotOf(nameOf(d, book.known))}
                value={String(d.slot ?? 0)}
                options={[
                  { value: '0', label: flowWords.everySlot },
                  ...Array.from({ length: 20 }, (_, n) => ({ value: String(n + 1), label: flowWords.slot(n + 1) })),
                ]}
                on={v => set(d, { slot: Number(v) || undefined })}
              />
            )}
            <Input
              class="num weightin"
              type="number"
              min={0}
              aria-label={flowWords.weightOfPath(nameOf(d, book.known))}
              value={String(d.weight)}
              on={v => set(d, { weight: Number(v) || 0 })}
            />
            <span class="dim num pct">{shareText(shareOf(d, list))}</span>
            <Button
              look="quiet icon"
              aria-label={t.parts.remove(nameOf(d, book.known))}
              onClick={() => replace(p.destinations.filter(o => o !== d))}
              icon="x"
            />
          </div>
        ))}
      </div>
    )
  return (
    <>
      {hasLanders && (
        <>
          <h3 class="label">{flowWords.heads.landers}</h3>
          {rows(landers, flowWords.heads.landers)}
          {adder(flowWords.addLander, choicesOf(records.landers), landers)}
        </>
      )}
      {!onlyURLs && <h3 class="label">{hasLanders ? flowWords.offersBehind : flowWords.heads.offers}</h3>}
      {rows(onward, flowWords.heads.offers)}
      {!onlyURLs && adder(flowWords.addOffer, choicesOf(records.offers), hasLanders ? [] : onward)}
      <details class="addurl" open={onlyURLs}>
        <summary>{flowWords.addAddress}</summary>
        <UrlInput label={flowWords.addAddress} value={address} on={setAddress} />
        <Button
          look="sm"
          disabled={!address.trim()}
          onClick={() => {
            add({ url: address.trim() })
            setAddress('')
          }}
          text={flowWords.addIt}
        />
      </details>
    </>
  )
}
