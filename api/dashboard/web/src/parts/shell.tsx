import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../core/call.ts'
import { short } from '../core/format.ts'
import { removeJobs } from '../core/jobs.ts'
import { useLazy } from '../core/lazy.ts'
import { help, helpOf } from '../core/help.ts'
import { palette } from '../core/keys.ts'
import { can, me, zone } from '../core/me.ts'
import { offline } from '../core/online.ts'
import { evictAnswers, use } from '../core/query.ts'
import { go, place, to } from '../core/router.ts'
import { t } from '../core/text.ts'
import { heading } from '../core/title.ts'
import { atMost, setWaiting, waiting, type Waiting } from '../core/waiting.ts'
import { Icon, Mark, Sign, type IconName } from './icons.tsx'
import { Item, Menu } from './menu.tsx'
import { SideList } from './side.tsx'
import { WindowOnPaper, Windows } from './window.tsx'

// Room is a screen in the navigation at the side. With `phone`, the bar at the bottom has the screen too. There, `short` replaces the
// name if it is set. `role` is the role that a person needs to see the screen. `waits` is the kind of items that a person has to
// handle on the screen.
type Room = { path: string; icon: IconName; name: string; short?: string; phone?: boolean; role?: string; waits?: Waiting }
export const watching: Room[] = [
  { path: '/app', icon: 'overview', name: t.nav.overview, phone: true },
  { path: '/app/reports', icon: 'reports', name: t.nav.reports, phone: true },
  { path: '/app/clicks', icon: 'clicks', name: t.clicks.title, short: t.figures.names.clicks, phone: true },
  { path: '/app/bots', icon: 'bot', name: t.rooms.bots },
  { path: '/app/blocked', icon: 'ban', name: t.rooms.blocked },
  { path: '/app/copilot', icon: 'spark', name: t.rooms.copilot, waits: 'suggestions' },
]
const building: Room[] = [
  { path: '/app/campaigns', icon: 'campaigns', name: t.campaigns.title, phone: true },
  { path: '/app/offers', icon: 'offers', name: t.kinds.offers.title },
  { path: '/app/landers', icon: 'landers', name: t.kinds.landers.title },
  { path: '/app/sources', icon: 'sources', name: t.kinds.sources.title },
  { path: '/app/networks', icon: 'networks', name: t.kinds.networks.title },
  { path: '/app/smartlinks', icon: 'link', name: t.rooms.smartlinks },
  { path: '/app/goals', icon: 'goal', name: t.rooms.goals },
  { path: '/app/import', icon: 'upload', name: t.rooms.imports },
  { path: '/app/move', icon: 'truck', name: t.rooms.bringIn },
]
const earning: Room[] = [
  { path: '/app/conversions', icon: 'check', name: t.conversions.title },
  { path: '/app/postbacks', icon: 'hook', name: t.rooms.postbacks },
  { path: '/app/unmatched', icon: 'warn', name: t.unmatched.title, waits: 'unmatched' },
  { path: '/app/corrections', icon: 'edit', name: t.rooms.corrections },
  { path: '/app/exports', icon: 'download', name: t.exports.title },
]
const connecting: Room[] = [
  { path: '/app/domains', icon: 'globe', name: t.nav.domains },
  { path: '/app/integrations', icon: 'plug', name: t.nav.integrations },
  { path: '/app/webhooks', icon: 'out', name: t.rooms.webhooks },
]
const account: Room[] = [
  { path: '/app/alerts', icon: 'bell', name: t.alerts.title, waits: 'alerts' },
  { path: '/app/plan', icon: 'columns', name: t.rooms.plan },
  { path: '/app/settings', icon: 'sliders', name: t.rooms.settings },
  { path: '/app/configuration', icon: 'doc', name: t.rooms.config },
  { path: '/app/team', icon: 'person', name: t.rooms.team, role: 'owner' },
  { path: '/app/keys', icon: 'key', name: t.rooms.keys, role: 'owner' },
  { path: '/app/audit', icon: 'table', name: t.rooms.audit, role: 'contributor' },
]
// groups can be folded.
export const groups: { id: string; name: string; icon: IconName; of: Room[] }[] = [
  { id: 'build', name: t.nav.build, icon: 'campaigns', of: building },
  { id: 'money', name: t.rooms.money, icon: 'coin', of: earning },
  { id: 'connect', name: t.nav.connect, icon: 'plug', of: connecting },
  { id: 'account', name: t.rooms.account, icon: 'person', of: account },
]
// rooms are all screens of the navigation.
export const rooms = [...watching, ...groups.flatMap(g => g.of)]
const titles: Record<string, string> = {
  ...Object.fromEntries(rooms.map(r => [r.path, r.name])),
  '/app/more': t.nav.more,
  '/app/me': t.rooms.me,
  '/app/oauth': t.nav.integrations,
  '/app/_parts': t.gallery.title,
}

// isHere reports whether a screen, or a screen below it, is open.
const isHere = (path: string) => place.value.path === path || (path !== '/app' && place.value.path.startsWith(path + '/'))
const visible = (of: Room[]) => of.filter(r => !r.role || can(r.role))
// sideGroup returns a group with its links, for the navigation at the side.
const sideGroup = ({ id, name, icon, of }: (typeof groups)[number]) => ({
  id,
  name,
  icon,
  rows: visible(of).length,
  here: of.some(r => isHere(r.path)),
  links: <Rooms of={of} />,
  badges: visible(of).map(r => r.waits && <Badge key={r.path} of={r.waits} />),
})
export const Rooms = ({ of, short }: { of: Room[]; short?: boolean }) => (
  <>
    {visible(of).map(r => (
      <a key={r.path} href={to(r.path)} title={r.name} aria-current={isHere(r.path) ? 'page' : undefined}>
        <Icon name={r.icon} />
        {(short && r.short) || r.name}
        {r.waits && <Badge of={r.waits} />}
      </a>
    ))}
  </>
)

function Badge({ of }: { of: Waiting }) {
  const n = waiting.value[of]
  return n ? (
    <span class="n num">
      <span aria-hidden="true">{atMost(n)}</span>
      <span class="hidden">{t.nav.waiting[of](n)}</span>
    </span>
  ) : null
}

// Waits loads, every two minutes, how many things wait for the person.
function Waits() {
  const { data } = use('GET /alerts', {}, 120)
  useEffect(() => {
    if (data) setWaiting(data)
  }, [data])
  return null
}

function Usage() {
  const { data } = use('GET /plan/usage', {}, 300)
  if (!data) return null
  const { used, limit } = data.detail.plan.clicks,
    share = limit ? Math.min(100, (used / limit) * 100) : 0
  const forecast = short(data.detail.forecast.clicks)
  return (
    <div class="usage">
      <div class="row">
        <span class="soft">{t.nav.clicksMonth}</span>
        <span class="grow" />
        <b class="num">{limit ? Math.round(share) + '%' : short(used)}</b>
      </div>
      {limit && (
        <div class="meter">
          <i style={`width:${share}%`} />
        </div>
      )}
      <div class="dim fine">{limit ? t.nav.used(short(used), short(limit), forecast) : t.nav.onCourse(forecast)}</div>
    </div>
  )
}

// signOut signs out and removes all data of the account from the page.
export async function signOut() {
  await call('DELETE /app/api/session').catch(() => undefined)
  evictAnswers()
  removeJobs()
  location.assign('/app')
}

// setTheme shows a theme, and stores it for the person.
export async function setTheme(theme: string) {
  const who = me.value!
  me.value = { ...who, theme: theme as typeof who.theme }
  me.value = await call('PATCH /app/api/me', { body: { name: who.name, language: who.language, letter_keys: who.letter_keys, theme } })
}

export async function setAccount(account: string) {
  await call('POST /app/api/session/account', { body: { account } })
  evictAnswers()
  me.value = await call('GET /app/api/session')
  go('/app')
}

export const Themes = () => (
  <div class="themes" role="group" aria-label={t.nav.theme}>
    <span class="seg">
      {Object.entries(t.themes).map(([name, text]) => (
        <button key={name} type="button" aria-pressed={me.value!.theme === name} onClick={() => void setTheme(name)}>
          {text}
        </button>
      ))}
    </span>
  </div>
)

export const PersonHead = () => (
  <div class="head">
    <b>{me.value!.name}</b>
    <span class="dim">
      {me.value!.email} · {t.roles[me.value!.role]}
    </span>
  </div>
)

function Person() {
  const who = me.value!
  return (
    <Menu
      name={t.rooms.account}
      kind="who"
      label={
        <>
          <span class="face" aria-hidden="true">
            {(who.name || who.email).slice(0, 1).toUpperCase()}
          </span>
          <span class="name">
            {who.name}
            <small>{who.account.name}</small>
          </span>
        </>
      }>
      {close => (
        <>
          <PersonHead />
          {who.accounts.length > 1 &&
            who.accounts.map(a => (
              <Item key={a.id} pressed={a.id === who.account.id} close={close} on={() => void setAccount(a.id)}>
                {a.name}
                <span class="grow" />
                <span class="dim">{t.roles[a.role]}</span>
              </Item>
            ))}
          <Themes />
          <a class="item" href={to('/app/me')} onClick={close}>
            {t.rooms.me}
          </a>
          <a class="item" href="/docs" target="_blank" rel="noreferrer">
            {t.nav.api}
            <span class="grow" />
            <Icon name="out" />
          </a>
          <a class="item" href="/app/licences">
            {t.nav.licences}
          </a>
          <Item on={() => void signOut()}>{t.nav.signOut}</Item>
        </>
      )}
    </Menu>
  )
}

// windowed matches the paths of the screens that show what happened in a window of time.
const windowed =
  /^\/app(\/(reports|campaigns|offers|landers|sources|networks|clicks|conversions|postbacks|unmatched|exports|bots|smartlinks|audit)|\/campaigns\/[^/]+\/(figures|flow|clicks)|\/(sources|networks)\/[^/]+\/difference)?$/

// compared matches the paths of the screens that can compare the window with the one before.
const compared = /^\/app(\/reports|\/campaigns(\/[^/]+\/figures)?)?$/

const loadBack = () => import('./back_to_check.tsx')

function Back({ campaign }: { campaign: string }) {
  const loaded = useLazy(loadBack)
  return loaded ? <loaded.BackToCheck campaign={campaign} /> : null
}

export function Shell({ children }: { children: ComponentChildren }) {
  const path = place.value.path,
    head = heading.value,
    title = head?.name ?? titles[path] ?? t.brand,
    checked = place.value.query.get('checked')
  useEffect(() => {
    document.title = title === t.brand ? t.brand : `${title} · ${t.brand}`
  }, [title])
  return (
    <div class="app">
      <Waits />
      <a
        class="skip"
        href="#main"
        onClick={e => {
          e.preventDefault()
          document.getElementById('main')?.focus()
        }}>
        {t.nav.skip}
      </a>
      <nav class="side nav" aria-label={t.nav.main}>
        <div class="brand">
          <Mark />
          {t.brand}
        </div>
        <SideList first={<Rooms of={watching} />} always={watching.length} groups={groups.map(sideGroup)} />
        <footer>
          <Usage />
          <Person />
        </footer>
      </nav>
      <header class="top">
        {head?.above && (
          <>
            <a class="dim wide" href={head.above.path}>
              {head.above.name}
            </a>
            <span class="dim wide crumb">
              <Icon name="right" />
            </span>
          </>
        )}
        <h1 title={title}>{title}</h1>
        <button
          type="button"
          class="btn sm quiet icon"
          aria-label={t.nav.helpOf(title)}
          title={t.nav.helpOf(title)}
          onClick={() => {
            help.value = helpOf(path)
          }}>
          ?
        </button>
        {head?.beside}
        {!head && (
          <span class="chip wide">
            <Icon name="clock" />
            {zone.value}
          </span>
        )}
        <Updated />
        <span class="grow" />
        <button
          type="button"
          class="find"
          onClick={() => {
            palette.value = 'find'
          }}>
          <Icon name="search" />
          <span class="cut">{t.palette.find}</span>
          <kbd>{t.ctrl} K</kbd>
        </button>
        {windowed.test(path) && (path !== '/app/bots' || place.value.query.get('tab')) && (
          <>
            <Windows compare={compared.test(path)} />
            <WindowOnPaper compare={compared.test(path)} />
          </>
        )}
      </header>
      <main class="main" id="main" tabIndex={-1}>
        {offline.value && (
          <p class="card notice row" role="alert">
            <Sign name="warn" tone="warn" />
            {t.nav.offline}
          </p>
        )}
        {checked && <Back campaign={checked} />}
        {children}
      </main>
      <nav class="tabbar" aria-label={t.nav.main}>
        <Rooms of={rooms.filter(r => r.phone)} short />
        <a href={to('/app/more')} aria-current={path === '/app/more' ? 'page' : undefined}>
          <Icon name="more" />
          {t.nav.more}
        </a>
      </nav>
    </div>
  )
}

// loadedAt is the time when the figures on the screen were loaded.
let loadedAt = Date.now()
export const setLoaded = () => {
  loadedAt = Date.now()
}

// Updated shows the age of the figures on the overview.
function Updated() {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick(n => n + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return place.value.path === '/app' ? (
    <span class="dim wide fine">{t.overview.updated(Math.round((Date.now() - loadedAt) / 1000))}</span>
  ) : null
}
