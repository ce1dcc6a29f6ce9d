import { Dialog } from '../../ui/dialog.tsx'
import type { AlertPlace } from '../alert/alert-place.ts'
import { FilterDetails } from '../alerts/filter-details.tsx'

type FilterDialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  place: AlertPlace
  onRefine: (change: Partial<AlertPlace>) => void
}

export function FilterDialog({ open, onOpenChange, place, onRefine }: FilterDialogProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Filters">
      <FilterDetails place={place} onRefine={onRefine} className="grid-cols-2 max-[374px]:grid-cols-1" />
    </Dialog>
  )
}
