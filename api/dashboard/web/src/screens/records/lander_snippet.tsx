import { useState } from 'preact/hooks'
import js from '../../../../../openapi/page/protect.js' with { type: 'text' }
import php from '../../../../../openapi/page/protect.php' with { type: 'text' }
import { w } from '../../text/protect.ts'
import { Copy } from '../../parts/copy.tsx'
import { Seg } from '../../parts/form.tsx'

type Language = 'js' | 'php'
const languages: { value: Language; label: string }[] = [
  { value: 'js', label: 'JavaScript' },
  { value: 'php', label: 'PHP' },
]

// Snippet shows the documentation's code with which a protected page checks its visitors, filled in with the page's own id.
export function Snippet({ domain, lander }: { domain: string; lander: string }) {
  const [language, setLanguage] = useState<Language>('js'),
    call = language === 'js' ? `admit('${domain}', '${lander}')` : `admit('${domain}', '${lander}');`
  return (
    <div class="part snippet">
      <div class="row wraps">
        <h3 class="label">{w.title}</h3>
        <span class="grow" />
        <Seg label={w.which} value={language} options={languages} on={setLanguage} />
      </div>
      <p class="soft">{w.text[language]}</p>
      <Copy lines label={w.snippet} text={(language === 'js' ? js : php).trim() + '\n\n' + call} />
    </div>
  )
}
