"""The report live, and the playground: a small server, for the machine it runs on unless told otherwise.

`live_server` is the server, `live_app` has its pages and calls, `request_guard` what every request must
fulfil. What the playground shows is made by `playground_parts` from a `playground_subject`, in processes of
`worker_pool` with limits of memory and time (`playground_worker` is what runs there). `live_training` trains
in the background; `training_worker` is its process. `pages` are sent as they are.
"""
