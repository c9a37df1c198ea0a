// Signing in at an ad platform. The browser leaves the page and comes back to another one, so where it began is kept for
// the visit.
import { call } from './call.ts'
import { to } from './router.ts'

const name = 'switchyard.oauth'

// signIn leads to the platform.
export async function signIn(provider: string, back: string) {
  const begun = await call('POST /app/api/oauth/{provider}', { path: { provider } })
  sessionStorage.setItem(name, back)
  location.assign(begun.url)
}

// begunAt is where the person was, and forgets it.
export function begunAt(): string {
  const at = sessionStorage.getItem(name)
  sessionStorage.removeItem(name)
  return at?.startsWith('/app/') ? at : to('/app/integrations')
}
