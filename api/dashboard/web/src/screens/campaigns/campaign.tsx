import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentProps, ComponentType } from 'preact'
import { canWrite } from '../../core/can.ts'
import { useKeys } from '../../core/keys.ts'
import { use } from '../../core/query.ts'
import { change, place, to } from '../../core/router.ts'
import { Named } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { useHeading } from '../../core/title.ts'
import { Button } from '../../parts/button.tsx'
import { Copy, copy } from '../../parts/copy.tsx'
import { Switch } from '../../parts/form.tsx'
import { Late, LoadingCard } from '../../parts/state.tsx'
import { useShownTab } from '../../parts/tabs.ts'
import type { TabProps } from '../../core/campaign.ts'
import { goLive, setStatus } from './change.ts'
import type { CheckSheet } from './check.tsx'

function Check(props: ComponentProps<typeof CheckSheet>) {
  const [Loaded, setLoaded] = useState<{ sheet: typeof CheckSheet }>()
  useEffect(() => void import('./check.tsx').then(m => setLoaded({ sheet: m.CheckSheet })), [])
  return Loaded ? <Loaded.sheet {...props} /> : null
}

type Tab = ComponentType<TabProps>
const tabs: Record<string, () => Promise<Tab>> = {
  figures: () => import('./figures.tsx').then(m => m.CampaignFigures),
  flow: () => import('../flow/flow.tsx').then(m => m.Flow),
  link: () => import('./link.tsx').then(m => m.CampaignLink),
  clicks: () => import('../clicks/clicks.tsx').then(m => m.CampaignClicks),
  settings: () => import('./settings.tsx').then(m => m.CampaignSettings),
}
const keys = [{ key: 'Y', text: t.campaigns.copyLink }]

// Campaign shows one page of a campaign, below the parts that all its pages share, such as the name, the link and the tabs.
export function Campaign() {
  const [, , , id = '', tab = 'flow'] = place.value.path.split('/'),
    check = place.value.query.get('check')
  const { data, error, again } = use('GET /campaigns/{id}', {}, 0, { id })
  const c = data?.campaign,
    link = c?.tracking_url || c?.url || ''
  const active = c?.status === 'active'
  useHeading(
    c
      ? {
          name: c.name,
          above: { name: t.campaigns.title, path: to('/app/campaigns') },
          beside:
            c.status === 'archived' ? (
              <span class="tag">{t.lists.states.archived}</span>
            ) : (
              <Switch
                on={active}
                shown
                label={active ? t.lists.states.active! : t.lists.states.paused!}
                disabled={!canWrite()}
                set={on => void (on ? goLive(c) : setStatus([c], 'paused'))}
              />
            ),
        }
      : null,
    c?.status,
  )
  useKeys(keys, e => {
    if (e.key === 'y' && link) {
      void copy(link, t.campaigns.linkCopied)
      return true
    }
  })
  const load = tabs[tab] ?? tabs.flow!,
    bar = useRef<HTMLElement>(null)
  useShownTab(bar, tab)
  const [loaded, setLoaded] = useState<{ load: typeof load; tab: Tab }>()
  useEffect(() => {
    let isShown = true
    void load().then(m => {
      if (isShown) setLoaded({ load, tab: m })
    })
    return () => {
      isShown = false
    }
  }, [load])
  if (error && !data) return <LoadingCard of={{ error, again }} height={260} />
  const Shown = loaded?.load === load ? loaded.tab : null
  return (
    <>
      <div class="row tabline">
        <nav class="tabs" ref={bar} aria-label={t.campaigns.pages}>
          {Object.keys(tabs).map(name => (
            <a key={name} href={to(`/app/campaigns/${id}/${name}`)} aria-current={name === tab ? 'page' : undefined}>
              {t.campaigns.tabs[name]}
            </a>
          ))}
        </nav>
        <span class="grow" />
        {c && <Button look="sm" onClick={() => change({ check: '1' })} text={t.campaigns.check} />}
        {link && (
          <div class="wide">
            <Copy text={link} label={t.campaigns.trackingLink} />
          </div>
        )}
      </div>
      {c && check && <Check of={c} live={check === 'live'} close={() => change({ check: null }, true)} />}
      {data && Shown ? (
        <Named.Provider value={data.campaign.sub_names}>
          <Shown key={id} detail={data} again={again} />
        </Named.Provider>
      ) : (
        <Late>
          <div class="skeleton" style="height:260px" />
        </Late>
      )}
    </>
  )
}
