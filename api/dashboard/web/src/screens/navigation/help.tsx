import { useEffect, useState } from 'preact/hooks'
import { asError, type ApiError } from '../../core/call.ts'
import { help, loadHelp } from '../../core/help.ts'
import { t } from '../../core/text.ts'
import { Button } from '../../parts/button.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Loading } from '../../parts/state.tsx'

const close = () => {
  help.value = null
}

// Help shows a page of help next to the screen.
export function Help() {
  const name = help.value ?? 'index',
    [page, setPage] = useState<{ name: string; html: string }>(),
    [error, setError] = useState<ApiError>(),
    [tries, setTries] = useState(0)
  useEffect(() => {
    let current = true
    setError(undefined)
    loadHelp(name).then(
      html => current && setPage({ name, html }),
      e => current && setError(asError(e)),
    )
    return () => {
      current = false
    }
  }, [name, tries])
  const follow = (e: MouseEvent) => {
    const href = (e.target as Element).closest('a')?.getAttribute('href')
    if (!href || href.includes('/')) return
    e.preventDefault()
    help.value = href
  }
  const index = name !== 'index' && (
    <Button
      look="sm quiet"
      text={t.nav.helpIndex}
      onClick={() => {
        help.value = 'index'
      }}
    />
  )
  return (
    <Sheet title={t.nav.help} close={close} side beside={index}>
      {page?.name === name ? (
        <div
          class="body help"
          tabIndex={-1}
          ref={el => el?.parentElement?.scrollTo(0, 0)}
          onClick={follow}
          dangerouslySetInnerHTML={{ __html: page.html }}
        />
      ) : (
        <Loading of={{ error, again: () => setTries(n => n + 1) }} height={240} />
      )}
    </Sheet>
  )
}
