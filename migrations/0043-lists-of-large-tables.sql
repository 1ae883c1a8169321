-- Lists of builds by state and by PPA find their page, and count it, without reading the other builds.
CREATE INDEX build_by_state ON build (state, id);
CREATE INDEX build_by_ppa ON build (ppa, id);
-- The open tickets of an owner are few, whatever else the owner ever had.
CREATE INDEX ticket_open_by_owner ON ticket (owner, id) WHERE current_workflow_step < 999 AND status <> 999;
