// The page of help that is open, and which page a screen has.
import { signal } from '@preact/signals'
import { ApiError, asError } from './call.ts'
import { language } from './text.ts'

// help is the name of the page that is open; null: none.
export const help = signal<string | null>(null)

export function helpOf(path: string) {
  const [, , area = 'overview', , tab = ''] = path.split('/')
  if (area === 'campaigns' && (tab === 'flow' || tab === 'link')) return tab
  return { oauth: 'integrations', more: 'index', _parts: 'index' }[area] ?? area
}

// loadHelp returns a page of help as HTML, which the service makes from its own texts.
export async function loadHelp(name: string) {
  const answer = await fetch(`/app/help/${language}/${name}`).catch(e => Promise.reject(asError(e)))
  if (!answer.ok) throw new ApiError(answer.status === 404 ? 'not_found' : 'away', answer.status, name)
  return answer.text()
}
