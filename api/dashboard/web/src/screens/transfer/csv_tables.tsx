import { FileField } from './file_field.tsx'
import { w } from '../../text/config.ts'

export type Tables = { offers?: File; campaigns?: File; links?: File }
const names = ['offers', 'campaigns', 'links'] as const

// tablesOf returns the texts of the files.
export async function tablesOf(files: Tables): Promise<{ offers?: string; campaigns?: string; links?: string }> {
  const texts: { offers?: string; campaigns?: string; links?: string } = {}
  for (const name of names) if (files[name]) texts[name] = await files[name].text()
  return texts
}

// CSVTables asks for the CSV tables of a tracker for which the service has no reader. A person must give at least one table.
export const CSVTables = ({ of: files, set }: { of: Tables; set: (files: Tables) => void }) => (
  <>
    <p class="dim">{w.csvText}</p>
    {names.map(name => (
      <FileField
        key={name}
        id={'csv-' + name}
        label={w.csvTables[name]}
        accept=".csv,.tsv,.txt,text/csv"
        on={file => set({ ...files, [name]: file })}
        hint={w.csvColumns[name]}
      />
    ))}
  </>
)
