CREATE INDEX "alerts_asset" ON "alerts" USING btree ("asset","log_index");--> statement-breakpoint
CREATE INDEX "alerts_type" ON "alerts" USING btree ("anomaly_type","log_index");