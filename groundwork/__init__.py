"""The ground floor: records, ports, errors, settings, probabilities and language models.

Every other room stands on this one and this one imports none of them. Rooms in the middle row meet only
through the records and ports defined here; they are joined in `truthhypo.world`.
"""
