import type { LanderRow } from '../api.gen.ts'
import { clickIDParam, hasClickID } from '../core/tokens.ts'
import { flowWords } from '../text/flow.ts'
import { recordWords } from '../text/records.ts'
import { Copy } from './copy.tsx'

const w = recordWords.fields

// isElsewhere reports whether a page is on another host than the tracking domain, so that the cookie of the click does not reach it.
export const isElsewhere = (url: string, domain: string) => {
  const host = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1]?.toLowerCase()
  return !!host && host !== domain && host.replace(/:\d+$/, '') !== domain
}

type Props = { of: Pick<LanderRow, 'url' | 'click_slots'>; origin: string }

// ClickOut shows the links for the buttons of a landing page, and how the page passes the click on. If the page is on another host,
// each link is HTML with a script. The script passes on all parameters of the page's own address, or only the click id if the page
// gets the click id under another name than clickid.
export function ClickOut({ of: r, origin }: Props) {
  const elsewhere = isElsewhere(r.url, origin.replace(/^https?:\/\//, ''))
  if (!origin) return null
  const name = clickIDParam(r.url),
    passes = !name || name === 'clickid' ? 'location.search' : `'clickid='+new URLSearchParams(location.search).get('${name}')`
  return (
    <>
      <p class="dim">{w.slotsText}</p>
      <p class={elsewhere && !hasClickID(r.url) ? 'warn' : 'dim'}>
        {elsewhere ? (hasClickID(r.url) ? w.slotElsewhere : w.slotNoClick) : w.slotHere}
      </p>
      {Array.from({ length: r.click_slots }, (_, i) => {
        const url = `${origin}/out${i ? '/' + (i + 1) : ''}`
        return (
          <Copy
            key={i}
            label={flowWords.slot(i + 1)}
            lines={elsewhere}
            text={elsewhere ? `<a href="${url}" onclick="this.search=${passes}">…</a>` : url}
          />
        )
      })}
    </>
  )
}
