import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../core/call.ts'
import { checkOf, hasProblems } from '../../core/campaign.ts'
import { canCreateCampaigns, canWrite } from '../../core/can.ts'
import { choicesOf, useCampaigns, useLanders, useNetworks, useOffers, useSources } from '../../core/choices.ts'
import { help, helpOf } from '../../core/help.ts'
import { palette, screenKeys, type Key } from '../../core/keys.ts'
import { can } from '../../core/me.ts'
import { touches, useAll } from '../../core/query.ts'
import { go, place, to } from '../../core/router.ts'
import { rankOf } from '../../core/search.ts'
import { t } from '../../core/text.ts'
import { confirmDiscard } from '../../core/unsaved.ts'
import { w } from '../../text/find.ts'
import { Button } from '../../parts/button.tsx'
import { copy } from '../../parts/copy.tsx'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { rooms } from '../../parts/shell.tsx'
import { failed, toast } from '../../core/toast.ts'

// Entry is something that can be found. `also` has more words by which it is found.
type Entry = { id: string; name: string; what: string; also?: string; icon: IconName; on: () => void }
const maxEntries = 40 // entries that are shown
const close = () => {
  palette.value = 'closed'
}

// Palette finds records, screens and actions by a few letters, or lists the keys of the screen.
export const Palette = () => (palette.value === 'keys' ? <Keys /> : <Find />)

function Find() {
  const [text, setText] = useState(''),
    [active, setActive] = useState(0),
    list = useRef<HTMLUListElement>(null)
  const ranked = useEntries()
    .map(e => ({ e, rank: rankOf(text, e.name, `${e.what} ${e.also ?? ''}`) }))
    .filter(o => o.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, maxEntries)
    .map(o => o.e)
  const found = [...clickOf(text.trim()), ...ranked]
  const run = (e?: Entry) => {
    if (e) {
      close()
      confirmDiscard(e.on)
    }
  }
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <Sheet title={t.palette.title} close={close}>
      <div class="palette">
        <input
          class="input"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-label={t.palette.find}
          aria-activedescendant={found[active] ? 'palette-' + active : undefined}
          value={text}
          autocomplete="off"
          spellcheck={false}
          placeholder={t.palette.find}
          onInput={e => {
            setText(e.currentTarget.value)
            setActive(0)
          }}
          ref={el => {
            if (el && document.activeElement !== el && !text) el.focus()
          }}
          onKeyDown={e => {
            if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
              e.preventDefault()
              setActive(Math.max(0, Math.min(found.length - 1, active + (e.key === 'ArrowDown' ? 1 : -1))))
            } else if (e.key === 'Enter') {
              e.preventDefault()
              run(found[active])
            }
          }}
        />
        <ul ref={list} id="palette-list" role="listbox" aria-label={t.palette.title}>
          {found.map((e, i) => (
            <li
              key={e.id}
              id={'palette-' + i}
              role="option"
              aria-selected={i === active}
              class={'item' + (i === active ? ' at' : '')}
              onMouseMove={() => setActive(i)}
              onClick={() => run(e)}>
              <Icon name={e.icon} />
              <span class="cut">{e.name}</span>
              <span class="grow" />
              <span class="dim fine">{e.what}</span>
            </li>
          ))}
          {found.length === 0 && (
            <li role="option" aria-selected={false} aria-disabled="true" class="item dim">
              {t.palette.nothing}
            </li>
          )}
        </ul>
      </div>
    </Sheet>
  )
}

// clickOf returns the entry that opens a click, if the text has the form of a click id.
const clickOf = (text: string): Entry[] =>
  /^[0-9A-Za-z]{22}$/.test(text)
    ? [{ id: 'click', name: w.openClick(text), what: t.clicks.title, icon: 'clicks', on: () => go(to('/app/clicks', { click: text })) }]
    : []

const recordScreens = ['offers', 'landers', 'sources', 'networks'].map(kind => rooms.find(r => r.path === '/app/' + kind)!)

// useEntries returns everything that can be found: screens, actions and records.
function useEntries(): Entry[] {
  const campaigns = useCampaigns(),
    smartlinks = useAll('GET /short-links', {}).rows,
    records = [useOffers(), useLanders(), useSources(), useNetworks()]
  const out: Entry[] = []
  const screens = [...rooms.filter(r => !r.role || can(r.role)), { path: '/app/me', name: t.rooms.me, icon: 'person' as const }]
  for (const r of screens)
    out.push({ id: r.path, name: r.name, what: t.palette.screens, also: w.also[r.path], icon: r.icon, on: () => go(to(r.path)) })
  out.push({
    id: 'help',
    name: t.nav.helpIndex,
    what: t.nav.help,
    icon: 'doc',
    on: () => {
      help.value = 'index'
    },
  })
  if (canWrite())
    out.push({ id: 'cost', name: w.setCost, what: t.palette.actions, icon: 'coin', on: () => go(to('/app/corrections', { kind: 'cost' })) })
  if (canCreateCampaigns())
    out.push({ id: 'new', name: t.campaigns.add, what: t.palette.actions, icon: 'plus', on: () => go(to('/app/campaigns/new')) })
  for (const c of campaigns ?? []) {
    out.push({ id: c.id, name: c.name, what: t.campaigns.title, icon: 'campaigns', on: () => go(to(`/app/campaigns/${c.id}/flow`)) })
    out.push({
      id: c.id + 'y',
      name: `${t.campaigns.copyLink}: ${c.name}`,
      what: t.palette.actions,
      icon: 'copy',
      on: () => void copy(c.tracking_url || c.url, t.campaigns.linkCopied),
    })
    if (canWrite() && c.status !== 'archived') {
      const resumes = c.status !== 'active',
        status = resumes ? 'active' : 'paused'
      const name = `${resumes ? t.lists.resume : t.lists.pause}: ${c.name}`
      const setStatus = (newStatus: string) =>
        call('PATCH /campaigns/{id}', { path: { id: c.id }, body: { status: newStatus } }).then(() => touches('campaigns'))
      out.push({
        id: c.id + 'p',
        name,
        what: t.palette.actions,
        icon: resumes ? 'play' : 'pause',
        on: async () => {
          if (resumes && (await hasProblems(c.id))) return go(checkOf(c.id, true))
          await setStatus(status).then(
            () => toast(t.campaigns.nowStatus[status]!(1, c.name), { undo: () => setStatus(c.status).catch(failed) }),
            e => failed(e, name),
          )
        },
      })
    }
  }
  for (const l of smartlinks ?? []) {
    out.push({
      id: l.id,
      name: l.name || l.slug,
      what: t.rooms.smartlinks,
      icon: 'link',
      on: () => go(to('/app/smartlinks', { id: l.id })),
    })
    out.push({
      id: l.id + 'y',
      name: `${t.campaigns.copyLink}: ${l.name || l.slug}`,
      what: t.palette.actions,
      icon: 'copy',
      on: () => void copy(l.url, t.campaigns.linkCopied),
    })
  }
  recordScreens.forEach((screen, i) => {
    for (const r of choicesOf(records[i]) ?? [])
      out.push({ id: r.value, name: r.label, what: screen.name, icon: screen.icon, on: () => go(to(screen.path, { id: r.value })) })
  })
  return out
}

// Keys lists the keys of the screen, and the keys that work everywhere.
function Keys() {
  const always = [
    { key: t.ctrl + ' K', text: t.palette.findKey },
    { key: '?', text: t.palette.theKeys },
    { key: 'Tab', text: t.palette.tabs },
    { key: t.ctrl + ' S', text: t.palette.save },
    { key: 'Esc', text: t.palette.close },
  ]
  return (
    <Sheet title={t.palette.keys} close={close}>
      {screenKeys.value.length > 0 && (
        <>
          <h3 class="keyhead">{t.palette.here}</h3>
          <KeyList of={screenKeys.value} />
        </>
      )}
      <h3 class="keyhead">{t.palette.everywhere}</h3>
      <KeyList of={always} />
      <p class="keyhead">
        <Button
          look="sm"
          text={t.nav.helpOf(document.querySelector('h1')?.textContent ?? t.brand)}
          onClick={() => {
            close()
            help.value = helpOf(place.value.path)
          }}
        />
      </p>
    </Sheet>
  )
}

const KeyList = ({ of }: { of: Key[] }) => (
  <dl class="keys">
    {of.map(k => (
      <>
        <dt>
          <kbd>{k.key}</kbd>
        </dt>
        <dd>{k.text}</dd>
      </>
    ))}
  </dl>
)
