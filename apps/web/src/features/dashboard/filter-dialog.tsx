import { Dialog } from '../../ui/dialog.tsx'
import type { AlertSearchParams } from '../alert/alert-search-params.ts'
import { FilterDetails } from '../alerts/filter-details.tsx'

type FilterDialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  searchParams: AlertSearchParams
  onRefine: (change: Partial<AlertSearchParams>) => void
}

export function FilterDialog({ open, onOpenChange, searchParams, onRefine }: FilterDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Filters">
      <FilterDetails searchParams={searchParams} onRefine={onRefine} className="grid-cols-2 max-[374px]:grid-cols-1" />
    </Dialog>
  )
}
