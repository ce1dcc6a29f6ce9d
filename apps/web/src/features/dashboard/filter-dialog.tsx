import { Dialog } from '../../ui/dialog.tsx'
import type { AlertSearchParams } from '../alert/alert-search-params.ts'
import { FilterDetails } from '../alerts/filter-details.tsx'

type FilterDialogProps = {
  searchParams: AlertSearchParams
  onRefine: (change: Partial<AlertSearchParams>) => void
  onClose: () => void
}

export function FilterDialog({ searchParams, onRefine, onClose }: FilterDialogProps) {
  return (
    <Dialog onOpenChange={onClose} title="Filters">
      <FilterDetails searchParams={searchParams} onRefine={onRefine} className="grid-cols-2 max-[374px]:grid-cols-1" />
    </Dialog>
  )
}
