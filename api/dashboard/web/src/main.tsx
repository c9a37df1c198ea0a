import './styles/base.css'
import './styles/shell.css'
import './styles/side.css'
import './styles/controls.css'
import './styles/cards.css'
import './styles/tables.css'
import './styles/flow.css'
import './styles/narrow.css'
import 'uplot/dist/uPlot.min.css'
import './styles/helpers.css'
import './styles/menus.css'
import './styles/states.css'
import './styles/plots.css'
import './styles/trend.css'
import './styles/report.css'
import './styles/build.css'
import './styles/inputs.css'
import './styles/forms.css'
import './styles/lists.css'
import './styles/sheets.css'
import './styles/flow_builder.css'
import './styles/clicks.css'
import './styles/records.css'
import './styles/money.css'
import './styles/rooms.css'
import './styles/people.css'
import './styles/copilot.css'
import './styles/domains.css'
import './styles/setup.css'
import './styles/connect.css'
import './styles/print.css'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ComponentType } from 'preact'
import { Link } from './parts/button.tsx'
import { ApiError, call, confirming, signedOut } from './core/call.ts'
import { help } from './core/help.ts'
import { palette, typing } from './core/keys.ts'
import { resume, setListed } from './core/jobs.ts'
import { useLazy } from './core/lazy.ts'
import { me } from './core/me.ts'
import { useOnline } from './core/online.ts'

import { busy, use } from './core/query.ts'
import { go, place, to } from './core/router.ts'
import { t } from './core/text.ts'
import { leaving } from './core/unsaved.ts'
import { Failed, Late } from './parts/state.tsx'
import { Toasts } from './parts/toast.tsx'
import { Tray } from './parts/tray.tsx'
import { Shell } from './parts/shell.tsx'
import { Overview } from './screens/overview/overview.tsx'

type Screen = ComponentType

// lazy holds all screens inside the frame, except the overview. Each is loaded when it is first shown. A star stands for one part of
// the address.
const lazy: Record<string, () => Promise<Screen>> = {
  '/app/reports': () => import('./screens/reports/reports.tsx').then(m => m.Reports),
  '/app/more': () => import('./screens/navigation/more.tsx').then(m => m.More),
  '/app/campaigns': () => import('./screens/campaigns/campaigns.tsx').then(m => m.Campaigns),
  '/app/campaigns/new': () => import('./screens/campaigns/new.tsx').then(m => m.NewCampaign),
  '/app/campaigns/*': () => import('./screens/campaigns/campaign.tsx').then(m => m.Campaign),
  '/app/campaigns/*/*': () => import('./screens/campaigns/campaign.tsx').then(m => m.Campaign),
  '/app/offers': () => import('./screens/records/offers.tsx').then(m => m.Offers),
  '/app/landers': () => import('./screens/records/offers.tsx').then(m => m.Landers),
  '/app/sources': () => import('./screens/records/sources.tsx').then(m => m.Sources),
  '/app/networks': () => import('./screens/records/sources.tsx').then(m => m.Networks),
  '/app/sources/*/difference': () => import('./screens/difference/difference.tsx').then(m => m.Difference),
  '/app/networks/*/difference': () => import('./screens/difference/difference.tsx').then(m => m.Difference),
  '/app/clicks': () => import('./screens/clicks/clicks.tsx').then(m => m.Clicks),
  '/app/conversions': () => import('./screens/conversions/conversions.tsx').then(m => m.Conversions),
  '/app/postbacks': () => import('./screens/conversions/postbacks.tsx').then(m => m.Postbacks),
  '/app/unmatched': () => import('./screens/conversions/unmatched.tsx').then(m => m.Unmatched),
  '/app/corrections': () => import('./screens/conversions/corrections.tsx').then(m => m.Corrections),
  '/app/copilot': () => import('./screens/copilot/copilot.tsx').then(m => m.Copilot),
  '/app/import': () => import('./screens/transfer/import.tsx').then(m => m.Import),
  '/app/move': () => import('./screens/transfer/bring_in.tsx').then(m => m.BringIn),
  '/app/configuration': () => import('./screens/transfer/configuration.tsx').then(m => m.Configuration),
  '/app/exports': () => import('./screens/transfer/exports.tsx').then(m => m.Exports),
  '/app/domains': () => import('./screens/domains/domains.tsx').then(m => m.Domains),
  '/app/integrations': () => import('./screens/integrations/integrations.tsx').then(m => m.Integrations),
  '/app/oauth': () => import('./screens/integrations/oauth.tsx').then(m => m.OAuth),
  '/app/alerts': () => import('./screens/overview/alerts.tsx').then(m => m.Alerts),
  '/app/plan': () => import('./screens/account/plan.tsx').then(m => m.Plan),
  '/app/settings': () => import('./screens/account/settings.tsx').then(m => m.Settings),
  '/app/blocked': () => import('./screens/blocked/blocked.tsx').then(m => m.Blocked),
  '/app/bots': () => import('./screens/bots/bots.tsx').then(m => m.Bots),
  '/app/smartlinks': () => import('./screens/smartlinks/smartlinks.tsx').then(m => m.Smartlinks),
  '/app/goals': () => import('./screens/goals/goals.tsx').then(m => m.Goals),
  '/app/webhooks': () => import('./screens/webhooks/webhooks.tsx').then(m => m.Webhooks),
  '/app/team': () => import('./screens/account/team.tsx').then(m => m.TeamScreen),
  '/app/keys': () => import('./screens/account/keys.tsx').then(m => m.Keys),
  '/app/audit': () => import('./screens/account/audit.tsx').then(m => m.Audit),
  '/app/me': () => import('./screens/account/me.tsx').then(m => m.Mine),
  '/app/_parts': () => import('./screens/gallery/gallery.tsx').then(m => m.Gallery),
}
const shapes = Object.keys(lazy).map(shape => [shape, new RegExp('^' + shape.replaceAll('*', '[^/]+') + '$')] as const)

// screenOf returns the key in lazy that an address matches.
const screenOf = (path: string) => (lazy[path] ? path : shapes.find(([, pattern]) => pattern.test(path))?.[0])
const enter = () => import('./screens/account/enter.tsx')
const connect = () => import('./screens/account/connect.tsx').then(m => m.Connect)

function Lazy({ load }: { load: () => Promise<Screen> }) {
  const Found = useLazy(load)
  return Found ? (
    <Found />
  ) : (
    <Late>
      <div class="skeleton" style="height:240px" />
    </Late>
  )
}

const NotFound = () => (
  <div class="empty">
    <p>{t.notFound.title}</p>
    <Link href={to('/app')} text={t.notFound.back} />
  </div>
)

function Enter({ over }: { over?: boolean }) {
  const module = useLazy(enter)
  return module ? <module.Enter over={over} /> : null
}

// Connecting is the page on which a person connects an assistant. It has no frame, because the person comes from another program.
function Connecting() {
  return (
    <>
      <Lazy load={connect} />
      {signedOut.value && <Enter over />}
      {confirming.value && <Confirm />}
    </>
  )
}

const palettes = () => import('./screens/navigation/palette.tsx')

function Finding() {
  const module = useLazy(palettes)
  return module ? <module.Palette /> : null
}

const helps = () => import('./screens/navigation/help.tsx')

function Helping() {
  const module = useLazy(helps)
  return module ? <module.Help /> : null
}

const sheets = () => import('./parts/sheet.tsx')

function Question() {
  const module = useLazy(sheets)
  return module ? <module.Leaving /> : null
}

function Confirm() {
  const module = useLazy(enter)
  return module ? <module.Confirm /> : null
}

// Listed reloads the account's jobs every 20 seconds, so that the tray also shows jobs of other tabs and people.
function Listed() {
  const { data } = use('GET /jobs', {}, 20)
  useEffect(() => {
    if (data) setListed(data.rows)
  }, [data])
  return null
}

function App() {
  const [state, setState] = useState<'asking' | 'in' | 'out' | ApiError>('asking')
  const path = place.value.path
  const welcome = path === '/app/welcome'
  const load = () =>
    call('GET /app/api/session').then(
      person => {
        me.value = person
        signedOut.value = false
        resume()
        setState('in')
      },
      e => {
        if (e instanceof ApiError && e.status === 401) {
          signedOut.value = false
          setState('out')
        } else setState(e as ApiError)
      },
    )
  useEffect(() => {
    if (!welcome) void load()
  }, [welcome])
  useOnline(() => {
    if (state instanceof ApiError) void load()
  })
  const theme = me.value?.theme
  useEffect(() => {
    if (theme && theme !== 'system') document.documentElement.dataset.theme = theme
    else delete document.documentElement.dataset.theme
  }, [theme])
  if (welcome || state === 'out') return <Enter />
  if (state === 'asking') return null
  if (state instanceof ApiError)
    return (
      <main class="alone">
        <div class="card">
          <Failed error={state} again={load} />
        </div>
      </main>
    )
  if (path === '/app/connect') return <Connecting />
  const shape = screenOf(path)
  return (
    <>
      <Shell>
        {path === '/app' ? (
          <Overview />
        ) : shape ? (
          <Lazy key={shape.startsWith('/app/campaigns/*') ? path.split('/')[3] : shape} load={lazy[shape]!} />
        ) : (
          <NotFound />
        )}
      </Shell>
      <Toasts />
      <Listed />
      <Tray />
      {palette.value !== 'closed' && <Finding />}
      {help.value !== null && <Helping />}
      {busy.value > 0 && <div class="bar" aria-hidden="true" />}
      {leaving.value && <Question />}
      {signedOut.value && <Enter over />}
      {confirming.value && <Confirm />}
    </>
  )
}

// Ctrl+K or ⌘K opens the palette, and ? opens the list of keys.
addEventListener('keydown', e => {
  if ((e.ctrlKey || e.metaKey) && e.key === 'k') {
    e.preventDefault()
    palette.value = 'find'
  } else if (e.key === '?' && !typing(e)) {
    e.preventDefault()
    palette.value = 'keys'
  }
})

// A page that stays open may ask for files that a new version no longer has. It then reloads itself, once.
addEventListener('unhandledrejection', e => {
  if (!/dynamically imported module|Importing a module/.test(String(e.reason)) || sessionStorage.reloaded) return
  sessionStorage.reloaded = '1'
  location.reload()
})

if (location.pathname === '/app/') go('/app' + location.search, true)
render(<App />, document.getElementById('app')!)
