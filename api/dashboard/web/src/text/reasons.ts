import { inLanguage } from '../core/text.ts'

// w.of translates a sentence of the service about a postback into the language of the page. A sentence without a translation stays in
// English.
export const w = await inLanguage({ en: () => import('./en/reasons.ts'), de: () => import('./de/reasons.ts') })
