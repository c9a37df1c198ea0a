import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/webhooks.ts'), de: () => import('./de/webhooks.ts') })
