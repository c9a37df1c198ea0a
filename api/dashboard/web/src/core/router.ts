// The page's address is its state. `place` holds the path and the query.
import { signal } from '@preact/signals'
import { confirmDiscard, unsaved } from './unsaved.ts'

const read = () => ({ path: location.pathname.replace(/\/+$/, '') || '/app', query: new URLSearchParams(location.search) })

export const place = signal(read())
let sure = false // whether the person has agreed to lose edits
// Back and Forward continue only if no edit is lost, or the person agrees to lose it. The browser has changed the address
// already, so it is set back while the person is asked.
addEventListener('popstate', () => {
  if (unsaved() && !sure) {
    history.pushState(null, '', address(place.value.path, place.value.query))
    confirmDiscard(() => {
      sure = true
      history.back()
    })
    return
  }
  sure = false
  place.value = read()
})

// go shows another address. With `replace`, the back button does not lead to the current address.
export function go(address: string, replace = false) {
  const now = location.pathname + location.search
  if (address === now) return
  history[replace ? 'replaceState' : 'pushState'](null, '', address)
  const was = place.value.path
  place.value = read()
  if (place.value.path !== was) scrollTo(0, 0)
}

// change sets parameters of the address. It removes a parameter whose value is null or an empty list.
export function change(params: Record<string, string | string[] | null>, replace = false) {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(params)) {
    query.delete(name)
    for (const item of value === null ? [] : [value].flat()) query.append(name, item)
  }
  go(address(place.value.path, query), replace)
}

const address = (path: string, query: URLSearchParams) => path + (query.size ? '?' + query : '')

// to returns the address of another screen, with the same window of time (w) and comparison (cmp).
export function to(path: string, params: Record<string, string | string[]> = {}) {
  const query = new URLSearchParams()
  for (const name of ['w', 'cmp']) {
    const v = place.value.query.get(name)
    if (v) query.set(name, v)
  }
  for (const [name, value] of Object.entries(params)) for (const item of [value].flat()) query.append(name, item)
  return address(path, query)
}

// Follows links within the page without reloading it.
addEventListener('click', e => {
  const a = (e.target as Element).closest?.('a[href^="/app"]') as HTMLAnchorElement | null
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || a.target || a.pathname.startsWith('/app/licences'))
    return
  e.preventDefault()
  confirmDiscard(() => go(a.pathname + a.search))
})
