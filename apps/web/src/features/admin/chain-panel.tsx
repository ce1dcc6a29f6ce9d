import { useQuery } from '@tanstack/react-query'
import type { ChainSetting } from '@tocsin/protocol'
import { TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/count.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toast.tsx'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { useAllowed } from './allowed.tsx'
import { refreshAfterProposal } from './refresh.ts'
import { useAdminAction } from './use-admin-action.ts'

/** Setting of the chain that new payments are made on. */
export function ChainPanel() {
  const query = useQuery(adminQueries.chain)
  const { data, error } = query
  return (
    <Panel title="Chain Configuration">
      {data ? (
        <ChainForm setting={data} />
      ) : error ? (
        <AdminQueryError fallback="Failed to fetch the chain configuration" query={query} />
      ) : (
        <div role="status" aria-label="Loading the chain configuration" className="h-60">
          <Skeleton className="h-full" />
        </div>
      )}
    </Panel>
  )
}

function ChainForm({ setting }: { setting: ChainSetting }) {
  const mayChange = useAllowed('settings.change')
  const ruleQuery = useQuery(adminQueries.protected)
  const { data: rule } = ruleQuery
  const [chosenChainId, setChosenChainId] = useState<string>()
  // The change that the open dialog shows. The dialog keeps showing this change if the select or
  // the two-admin rule changes.
  const [chainToConfirm, setChainToConfirm] = useState<ChainSetting['supported'][number] & { isProposal: boolean }>()
  const choice = setting.supported.find(({ chainId }) => chainId === (chosenChainId ?? setting.value))
  const value = choice?.chainId ?? setting.value
  const name = choice?.chainName ?? setting.chainName
  const change = useAdminAction({
    run: (body: { value: string; description: string }) => call('changeChain', { body }),
    done: rule?.isOn ? 'Change Proposed' : 'Chain Configuration Updated',
    failed: 'Failed to update chain configuration.',
    refresh: refreshAfterProposal,
    onDone: () => {
      setChainToConfirm(undefined)
      setChosenChainId(undefined)
    },
  })

  function askForConfirmation() {
    if (choice && value !== setting.value) return setChainToConfirm({ ...choice, isProposal: rule?.isOn === true })
    toast({ title: 'No Change', description: 'Chain ID is already set to this value.' })
  }

  return (
    <div className="grid gap-5">
      <dl className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <dt className="text-base text-2">Current network</dt>
          <dd className="text-lead font-semibold">{setting.chainName}</dd>
        </div>
        <div className="text-right">
          <dt className="text-base text-2">Chain ID</dt>
          <dd className="font-mono text-lead font-medium">{setting.value}</dd>
        </div>
      </dl>
      {mayChange && (
        <>
          <SelectField label="Change to" value={value} onChange={({ target }) => setChosenChainId(target.value)}>
            {setting.supported.map(({ chainId, chainName }) => (
              <option key={chainId} value={chainId}>
                {chainName} ({chainId})
              </option>
            ))}
          </SelectField>
          <Warning name={name} isChange={value !== setting.value} isReadable={choice?.isReadable ?? false} />
          <Button size="lg" disabled={rule === undefined} onClick={askForConfirmation}>
            Update chain
          </Button>
          {!rule && ruleQuery.error && (
            <AdminQueryError
              fallback="The chain can be changed when the two-admin rule has been fetched."
              query={ruleQuery}
            />
          )}
        </>
      )}
      {chainToConfirm && (
        <ChangeChainDialog
          from={setting.chainName}
          to={chainToConfirm.chainName}
          isProposal={chainToConfirm.isProposal}
          isSending={change.isPending}
          onConfirm={(description) => change.mutate({ value: chainToConfirm.chainId, description })}
          onClose={() => setChainToConfirm(undefined)}
        />
      )}
    </div>
  )
}

type WarningProps = { name: string; isChange: boolean; isReadable: boolean }

function Warning({ name, isChange, isReadable }: WarningProps) {
  const { data: stats } = useQuery(adminQueries.stats)
  const people = stats?.activeUsers
  return (
    <div className="flex gap-3 border border-l-2 border-line-1 border-l-medium p-3 text-base">
      <TriangleAlert aria-hidden size={18} strokeWidth={2} className="mt-0.5 shrink-0 text-medium" />
      <div className="min-w-0">
        <p>
          Changing it affects all users, who must switch networks.
          {isChange &&
            people !== undefined &&
            ` ${formatCount(people)} with an active plan must switch their wallet to ${name}.`}
        </p>
        {isChange && !isReadable && (
          <p className="mt-1">
            No node is configured for {name}: payments on it are not credited until you configure one.
          </p>
        )}
      </div>
    </div>
  )
}

interface ChangeChainDialogProps {
  from: string
  to: string
  /** True if the two-admin rule is on, so that another admin has to approve the change. */
  isProposal: boolean
  isSending: boolean
  onConfirm: (description: string) => void
  onClose: () => void
}

function ChangeChainDialog({ from, to, isProposal, isSending, onConfirm, onClose }: ChangeChainDialogProps) {
  const [description, setDescription] = useState('')
  const [error, setError] = useState<string>()

  function confirm(event: FormEvent) {
    event.preventDefault()
    if (isProposal && description.trim() === '') setError('Enter a reason.')
    else if (!isSending) onConfirm(description)
  }

  return (
    <FormDialog
      title={isProposal ? `Propose a change to ${to}?` : `Change to ${to}?`}
      description={
        isProposal
          ? `Nothing changes until another admin has approved it and the delay has passed. Then new payments are made on ${to}, and payments made on ${from} remain valid.`
          : `New payments are made on ${to}. Payments made on ${from} remain valid.`
      }
      submitLabels={
        isProposal ? { send: 'Propose', sending: 'Proposing…' } : { send: 'Change chain', sending: 'Changing…' }
      }
      variant="danger"
      isSending={isSending}
      onSubmit={confirm}
      onClose={onClose}
    >
      <TextField
        label={isProposal ? 'Reason' : 'Description'}
        aside={isProposal ? undefined : 'Optional'}
        hint={isProposal ? 'Kept in the audit log.' : 'Kept with the setting and in the audit log.'}
        error={error}
        maxLength={500}
        autoComplete="off"
        required={isProposal}
        value={description}
        onChange={({ target }) => {
          setDescription(target.value)
          setError(undefined)
        }}
      />
    </FormDialog>
  )
}
